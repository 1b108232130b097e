import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { daylessForm, longForm, placedForm, storedForm, tagOf } from "../../src/messages/ingest/message-key.js";
import { placedKeys, placeKey } from "../../src/messages/ingest/place-key.js";
import { postgresHash } from "../../src/platform/database/postgres-hash.js";

const sixteenth = (bytes: Uint8Array): number => Math.floor((postgresHash(bytes) + 2 ** 31) / 2 ** 28);

describe("a key that is placed for a device", () => {
  const cases = Array.from({ length: 200 }, () => ({
    key: randomBytes(36).toString("latin1"),
    deviceId: randomBytes(32).toString("hex"),
  }));

  it("has a hash in the same sixteenth of the range as the device", () => {
    for (const { key, deviceId } of cases) {
      const placed = placeKey(key, deviceId);
      expect(placedForm(placed)).toHaveLength(32);
      expect(sixteenth(Buffer.from(placedForm(placed), "latin1"))).toBe(sixteenth(Buffer.from(deviceId)));
    }
  });

  it("stays the same when it is placed again, and is one of the sixteen that the key may become", () => {
    for (const { key, deviceId } of cases) {
      const placed = placeKey(key, deviceId);
      expect(placeKey(placed, deviceId)).toBe(placed);
      expect(placedKeys(key)).toContain(placed);
    }
  });

  it("keeps its other forms and its tag", () => {
    for (const { key, deviceId } of cases) {
      const placed = placeKey(key, deviceId);
      for (const formOf of [storedForm, longForm, daylessForm, tagOf]) expect(formOf(placed)).toBe(formOf(key));
      expect(placedForm(key)).toBe(longForm(key));
      const changed = [...placedForm(placed)].filter((byte, i) => byte !== longForm(key)[i]);
      expect(changed.length).toBeLessThanOrEqual(1);
    }
  });
});
