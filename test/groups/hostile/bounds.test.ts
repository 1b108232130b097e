import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeSvcMessage, encodeSystemOperation, epochKeysOf, sealEnvelope } from "../../../src/client/index.js";
import { runtimeWith } from "../../../src/client/runtime/runtime.js";
import { encodeContent } from "../../../src/groups/encoding/content.js";
import { memoryStore, tsMls } from "../../../src/groups/index.js";
import { concatBytes, utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, mlsWith, openPerson, roomy, untilHas, untilSame } from "../people.js";

// Mallory sends what her library would not send. Ben has the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

let isAway = false;
/** Requests to these paths fail while the relay is away. */
const failing =
  (paths: string): typeof fetch =>
  async (url, init) => {
    if (isAway && String(url).includes(paths)) throw new TypeError("the relay is away");
    return fetch(url, init);
  };

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

test("requests by one link take no room from those by another, and make way when it is revoked", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store });
  const [ben, mallory] = [await openPerson(relay, "Ben"), await openPerson(relay, "Mallory")];
  const adas = await ada.create({ name: "Asked" });
  const invite = () => adas.invite({ appUrl: "https://app.example/join", uses: 1_000, approve: true });
  const [known, other] = [await invite(), await invite()];
  await mallory.join(known.link);
  await until(async () => (await adas.requests()).length === 1, "Mallory has asked");
  const [asked] = await store.list({ prefix: "request/" });
  const many = Array.from({ length: 49 }, (_, at) => `request/${adas.id}/${String(at).padStart(64, "0")}`);
  await store.write(many.map((key) => [key, asked?.[1]]));
  const seen = async () => (await store.list({ prefix: "seen/" })).length;
  const before = await seen();
  await ben.join(known.link);
  await until(async () => (await seen()) > before, "the request has come");
  expect(await adas.requests()).toHaveLength(50);
  await ben.join(other.link);
  await until(async () => (await adas.requests()).length === 51, "the link that few know lets Ben ask");
  await adas.revoke(known.id);
  await mallory.join(other.link);
  await until(async () => (await adas.requests()).length === 2, "the requests by the other link have made way");
});

test("a member who says again and again that they leave causes one change", async () => {
  let isLeaving = false;
  const mls = mlsWith("encrypt", (real) => (state, content) => {
    return real.encrypt(state, isLeaving ? encodeSystemOperation({ operation: "leave" }) : content);
  });
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, runtime: { fetch: failing("/slots/") } });
  const mallory = await openPerson(relay, "Mallory", { mls });
  const adas = await ada.create({ name: "Leaving" });
  await adas.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Leaving");
  isAway = true;
  isLeaving = true;
  for (let sent = 0; sent < 5; sent += 1) await mallorys.send({ text: "a leave goes in its place" });
  isLeaving = false;
  await mallorys.send({ text: "still here" });
  await untilHas(adas, "still here");
  expect(await store.list({ prefix: "change/" })).toHaveLength(1);
  isAway = false;
});

test("what no key opens makes a device read the slots of its groups less and less often", async () => {
  const waits = [1_500, 3_000, 6_000, 12_000, 24_000, 48_000];
  const over: number[] = [];
  const sleep = async (millis: number, signal?: AbortSignal) => {
    const isOne = waits.includes(millis);
    await runtimeWith().sleep(isOne ? 20 : millis, signal);
    if (isOne) over.push(millis);
  };
  const ben = await openPerson(relay, "Ben", { runtime: { sleep } });
  const mallory = await openPerson(relay, "Mallory");
  for (const name of ["One", "Two"]) await ben.create({ name });
  over.length = 0;
  for (const [at, millis] of waits.entries()) {
    const junk = new Uint8Array(randomBytes(600));
    junk[0] = 1;
    await mallory.device.send({ to: ben.address, ciphertext: junk });
    await until(async () => over.length > at, `the slots are read after ${millis} ms`);
  }
  expect(over).toEqual(waits);
});

test("of many signals that a member types, few are shown", async () => {
  let nowMillis = relay.clock.nowMillis();
  const ben = await openPerson(relay, "Ben", { runtime: { nowMillis: () => nowMillis } });
  const mallory = await openPerson(relay, "Mallory");
  const bens = await ben.create({ name: "Typed" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Typed");
  const told: boolean[] = [];
  ben.subscribe((event) => event.type === "typing" && told.push(event.isTyping));
  await mallorys.send({ text: "the first one" });
  await untilHas(bens, "the first one");
  for (let sent = 0; sent < 40; sent += 1) await mallorys.typing(sent % 2 === 0);
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const shown = () => told.filter((isTyping) => isTyping).length;
  expect(shown()).toBe(10);
  nowMillis = relay.clock.nowMillis() + 10_000;
  await until(async () => {
    await mallorys.typing();
    return shown() > 10;
  }, "typing is shown again");
});

test("news that proves nothing makes a device read slots less and less often", async () => {
  let readings = 0;
  const counting: typeof fetch = async (url, init) => {
    if (String(url).includes("/slots/")) readings += 1;
    return fetch(url, init);
  };
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { runtime: { fetch: counting } });
  const mallory = await openPerson(relay, "Mallory", { store });
  const bens = await ben.create({ name: "News" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "News");
  await untilSame([bens, mallorys]);
  const mls = tsMls();
  const keys = async () => {
    const state = await mls.load((await store.get(`state/${bens.id}`)) as Uint8Array);
    return epochKeysOf(mls.exporterOf(state));
  };
  const past = await keys();
  await bens.rename("Newer");
  await untilSame([bens, mallorys]);
  readings = 0;
  for (const of of [past, await keys()])
    for (let sent = 0; sent < 40; sent += 1) {
      const news = { receipt: {} as never, attempt: 9, content: utf8(`${sent}`) };
      const ciphertext = sealEnvelope(of, encodeContent({ kind: "commit", news }));
      await mallory.device.send({ to: ben.address, ciphertext });
    }
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  await mallorys.rename("Newest");
  await until(async () => bens.name === "Newest", "real news leads on");
  // One reading takes two requests at most, and eight come before the first wait.
  expect(readings).toBeLessThan(30);
});

test("many changes of a large message take little room until the application reads of them", async () => {
  const store = memoryStore();
  const [ben, mallory] = [await openPerson(relay, "Ben", { store }), await openPerson(relay, "Mallory")];
  const bens = await ben.create({ name: "Changed" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Changed");
  const { id } = await bens.send({ text: "x".repeat(50_000) });
  await untilHas(mallorys, "x".repeat(50_000));
  for (let at = 0; at < 40; at += 1) await mallorys.react(id, at % 2 ? "+" : "-");
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const kept = (await store.list({ prefix: "event/" })).map(([, value]) => value.length);
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(150_000);
  const changes: string[] = [];
  for await (const event of ben.events()) {
    if (event.type === "messageChanged") changes.push(event.message.reactions[mallory.user]?.join() ?? "");
    if (event.type === "message" && event.message.text === "the last one") break;
  }
  expect(changes).toEqual(Array(40).fill("+"));
});

test("past epochs of a group with large states take a bounded part of a store", async () => {
  const mebibytes = 4;
  const mls = mlsWith("save", (real) => (state) => concatBytes(real.save(state), new Uint8Array(mebibytes * 2 ** 20)));
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, mls });
  const adas = await ada.create({ name: "Large" });
  for (let at = 0; at < 8; at += 1) await adas.rename(`Large ${at}`);
  expect(await store.list({ prefix: "past/" })).toHaveLength(32 / mebibytes - 1);
});
