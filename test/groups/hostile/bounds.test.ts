import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeSvcMessage } from "../../../src/client/index.js";
import { memoryStore } from "../../../src/groups/index.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, mlsWith, openPerson, roomy, untilHas } from "../people.js";

// Mallory sends what her library would not send. Ben has the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

test("receipts for messages that never come fill a bounded part of a store, and real ones still count", async () => {
  let forged: Uint8Array | undefined;
  const mls = mlsWith("encrypt", (real) => (state, content) => real.encrypt(state, forged ?? content));
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { store });
  const mallory = await openPerson(relay, "Mallory", { mls });
  const bens = await ben.create({ name: "Filled" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Filled");
  const { id } = await bens.send({ text: "read me" });
  await untilHas(mallorys, "read me");
  const common = () => ({ message_id: crypto.randomUUID(), sent_at_millis: Date.now() });
  const named = (sent: number, count: number) =>
    Array.from({ length: count }, (_, at) => `${sent}-${at}`.padEnd(100, "x"));
  const send = async (targets: string[]) => {
    forged = encodeSvcMessage({ ...common(), type: "receipt", targets, status: "read" });
    await mallorys.send({ text: "a receipt goes in its place" });
    forged = undefined;
  };
  // More than one receipt may name is no receipt.
  await send(named(100, 101));
  for (let sent = 0; sent < 12; sent += 1) await send(named(sent, 100));
  await mallorys.receipt([id], "read");
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const isRead = async () => (await bens.messages()).some(({ receipts }) => receipts[mallory.user] === "read");
  await until(isRead, "the real receipt has come");
  const kept = await store.list({ prefix: "effect/" });
  expect(kept).toHaveLength(1_000);
  expect(Math.max(...kept.map(([, value]) => value.length))).toBeLessThan(1_000);
  expect(kept.some(([key]) => key.includes("/100-"))).toBe(false);
});

test("a receipt for more messages than one may name goes in several", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Many" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Many");
  for (let at = 0; at < 101; at += 1) await adas.send({ text: `${at}` });
  await untilHas(bens, "100");
  const ids = (await bens.messages({ limit: 200 })).map(({ id }) => id);
  await bens.receipt(ids, "read");
  const areRead = async () =>
    (await adas.messages({ limit: 200 })).every(({ receipts }) => receipts[ben.user] === "read");
  await until(areRead, "all are read");
});
