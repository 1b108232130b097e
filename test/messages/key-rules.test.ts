import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type KeyRules, placesOf } from "../../src/messages/ingest/key-rules.js";
import { daylessForm, deviceKey, longForm, placedForm, storedForm } from "../../src/messages/ingest/message-key.js";
import { placeKey } from "../../src/messages/ingest/place-key.js";
import { newMessageId } from "../../src/protocol/identifiers.js";

// Where keys lie on a distributed database (spec/decisions/0125 and 0135).

const today = 20_000;
const never = { writtenUntil: 0, keptUntil: 0 };
const rules: KeyRules = {
  today,
  retentionDays: 30,
  hasPartitions: false,
  long: never,
  dayless: never,
  movedKeptUntil: 0,
  placelessKeptUntil: 0,
};
const keyOf = (day: number) => {
  const messageId = newMessageId(day * 86_400_000, randomBytes(10));
  return deviceKey(randomBytes(32), { senderId: "s", messageId, prefix: "r" });
};
const placedKey = (day: number) => placeKey(keyOf(day), randomBytes(32).toString("hex"));

describe("on a distributed database", () => {
  it.each([
    today - 400,
    today,
    today + 1,
    today + 400,
  ])("a key of day %i lies where it was placed, and only there", (day) => {
    const key = placedKey(day);
    expect(placesOf([key], rules)).toEqual({ partitions: [], apart: [placedForm(key)], soughtApart: [] });
  });

  it("keys that came from its partitions are looked for until the last has expired", () => {
    const key = placedKey(today);
    expect(placesOf([key], { ...rules, movedKeptUntil: today }).soughtApart).toEqual([storedForm(key)]);
    expect(placesOf([key], { ...rules, movedKeptUntil: today - 1 }).soughtApart).toEqual([]);
  });

  it("the forms of earlier versions are stored and looked for beside the placed one", () => {
    const key = placedKey(today);
    const long = { writtenUntil: today, keptUntil: today + 30 };
    const dayless = { writtenUntil: today - 1, keptUntil: today };
    const { apart, soughtApart } = placesOf([key], { ...rules, long, dayless });
    expect(new Set(apart)).toEqual(new Set([placedForm(key), longForm(key)]));
    expect(soughtApart).toEqual([daylessForm(key)]);
  });

  it("no form is both stored and looked for, and none is stored twice", () => {
    const key = keyOf(today);
    expect(placedForm(key)).toBe(longForm(key));
    for (const writtenUntil of [today, today - 1]) {
      const places = placesOf([key, key], { ...rules, long: { writtenUntil, keptUntil: today } });
      expect(places).toEqual({ partitions: [], apart: [longForm(key)], soughtApart: [] });
    }
  });
});
