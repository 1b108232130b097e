import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Group, memoryStore, type Store } from "../../src/groups/index.js";
import { daySeconds, hourSeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openDevice, openPerson, roomy, untilHas, untilSame } from "./people.js";

// A bot runs for months. What it keeps for a limited time must be removed while it runs.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay.stop());

const bytesOf = (record: object) => new TextEncoder().encode(JSON.stringify(record));
const countOf = async (store: Store, prefix: string) => (await store.list({ prefix })).length;

/** Ben in a group of Ada's, with a device that stays open. */
async function pair(name: string, store: Store) {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store })];
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  return { ada, ben, adas, bens: await groupOf(ben, name) };
}

async function exchange(from: Group, to: Group, round: number): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, (_, at) => from.send({ text: `text ${at} of round ${round}` })));
  await untilHas(to, `text 99 of round ${round}`);
}

test("what a device knows of old messages is removed while it runs", async () => {
  const store = memoryStore();
  const { adas, bens } = await pair("Busy", store);
  const at = Math.floor(relay.clock.nowMillis() / 1000);
  const old = Array.from({ length: 500 }, () => `seen/${createHash("sha256").update(randomBytes(8)).digest("hex")}`);
  const others = [`effect/${bens.id}/gone/000000000001`, `moved/${bens.id}/${"ab".repeat(32)}`];
  await store.write([...old, ...others].map((key) => [key, bytesOf({ at: at - 76 * daySeconds })]));
  const recent = `seen/${"cd".repeat(32)}`;
  await store.write([[recent, bytesOf({ at: at - 74 * daySeconds })]]);
  for (let round = 0; round < 5; round++) await exchange(adas, bens, round);
  const kept = new Set((await store.list({ prefix: "" })).map(([key]) => key));
  expect([...old, ...others].filter((key) => kept.has(key))).toEqual([]);
  expect(kept).toContain(recent);
  expect(await countOf(store, "seen/")).toBeGreaterThan(500);
});

test("events that no application asks for do not pile up while the device runs", async () => {
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { store });
  const events = Array.from({ length: 12_000 }, (_, at) => `event/${String(at).padStart(12, "0")}`);
  await store.write(events.map((key) => [key, bytesOf({ type: "history", messages: 0 })]));
  // Two events for each text.
  const notes = await ben.create({ name: "Notes" });
  for (let texts = 0; texts < 600; texts++) await notes.send({ text: "a note" });
  await until(async () => (await countOf(store, "event/")) < 11_500, "the oldest events are gone");
  expect(await store.get(events[0] as string)).toBeUndefined();
  const { value } = await ben.events().next();
  expect(value?.seq).toBeGreaterThan(1_000);
});

test("the keys of past epochs are removed a week after their end, also in a group without commits, and in one that has ended", async () => {
  const store = memoryStore();
  const { ada, ben, adas, bens } = await pair("Quiet", store);
  const other = await ada.create({ name: "Other" });
  await other.add([ben.address]);
  const bensOther = await groupOf(ben, "Other");
  const notes = await ben.create({ name: "Notes" });
  await adas.rename("Quieter");
  await untilSame([adas, bens]);
  await other.remove(other.members().flatMap(({ id, isMe }) => (isMe ? [] : [id])));
  await until(async () => bensOther.state === "removed", "Ben is removed");
  expect(await countOf(store, "past/")).toBe(2);
  const write = async () => {
    for (let texts = 0; texts < 100; texts++) await notes.send({ text: "a note" });
  };
  relay.clock.advance(6 * daySeconds);
  await write();
  expect(await countOf(store, "past/")).toBe(2);
  relay.clock.advance(2 * daySeconds);
  await write();
  await until(async () => (await countOf(store, "past/")) === 0, "the past epochs are forgotten");
});

test("a device that can only poll for weeks renews its key package of last resort, and ends its old address", async () => {
  const store = memoryStore();
  const { sleep } = runtimeWith();
  const cem = await openPerson(relay, "Cem", {
    store,
    runtime: {
      openSocket: () => Promise.reject(new Error("a proxy refuses WebSockets")),
      sleep: (millis, signal) => sleep(millis / 100, signal),
    },
  });
  await until(async () => cem.status === "online", "Cem is online");
  await cem.rotateAddress();
  const isNew = () => store.get("uploaded").then((value) => Buffer.from(value ?? []).toString());
  const before = await isNew();
  const statuses: string[] = [];
  cem.subscribe((event) => {
    if (event.type === "status") statuses.push(event.status);
  });
  expect(await countOf(store, "old-address/")).toBe(1);
  for (let hours = 0; hours < 15 * 24; hours += 13) {
    const announcedAt = cem.device.session()?.announcedAt;
    relay.clock.advance(13 * hourSeconds);
    await until(async () => {
      // The next poll, half a minute later, may be the one before which the address is announced.
      if (cem.device.session()?.announcedAt === announcedAt) relay.clock.advance(30);
      return cem.device.session()?.announcedAt !== announcedAt;
    }, "the address is announced again");
  }
  await until(async () => (await isNew()) !== before, "the key package is renewed");
  await until(async () => (await countOf(store, "old-address/")) === 0, "the old address has ended");
  expect(statuses).toEqual([]);
});

test("a device whose stream stays open and quiet renews its key package of last resort, and removes what is old", async () => {
  const store = memoryStore();
  const eve = await openPerson(relay, "Eve", { store });
  await until(async () => eve.status === "online", "Eve is online");
  const statuses: string[] = [];
  eve.subscribe((event) => {
    if (event.type === "status") statuses.push(event.status);
  });
  const now = relay.clock.nowMillis();
  const uploaded = bytesOf({ atMillis: now - 15 * daySeconds * 1000 });
  const old = `seen/${"ab".repeat(32)}`;
  await store.write([
    ["uploaded", uploaded],
    [old, bytesOf({ at: Math.floor(now / 1000) - 76 * daySeconds })],
  ]);
  // The client looks at each ping whether its address has to be announced again.
  relay.clock.advance(13 * hourSeconds);
  const isNew = async () => !Buffer.from((await store.get("uploaded")) ?? []).equals(uploaded);
  await until(isNew, "the key package is renewed");
  await until(async () => (await store.get(old)) === undefined, "what is old is removed");
  expect(statuses).toEqual([]);
});

test("a key package of last resort is removed once no Welcome by it can be on its way any more", async () => {
  const store = memoryStore();
  const uploaded = () => store.get("uploaded").then((value) => Buffer.from(value ?? []).toString());
  const lastResorts = async () => {
    const packages = await store.list({ prefix: "package/" });
    return packages.filter(([, value]) => Buffer.from(value).includes("isLastResort")).length;
  };
  for (let round = 0; round < 8; round++) {
    const before = await uploaded();
    const dan = await openDevice(relay, "Dan", { store });
    await until(async () => (await uploaded()) !== before, "the relay has another one");
    await dan.close();
    relay.clock.advance(15 * daySeconds);
  }
  expect(await lastResorts()).toBe(5);
});
