import { afterAll, beforeAll, expect, test } from "vitest";
import { type Runtime, runtimeWith } from "../../src/client/runtime/runtime.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { holdSockets, hurriedSleep, keysOf, listen, newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  const seeds = { SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000" };
  relay = await startRelay({ announcementsPerHour: 100, newAddressesPerDay: 100, seeds });
});
afterAll(() => relay.stop());

test("messages come by the stream in their order, and leave the queue once they are handled", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  await sendText(ada, ben, "queued before");
  const listener = listen(ben);
  await listener.until(({ texts }) => texts.length === 1);
  for (const text of ["one", "two", "three"]) await sendText(ada, ben, text);
  await listener.until(({ texts }) => texts.length === 4);
  expect(listener.texts).toEqual(["queued before", "one", "two", "three"]);
  await listener.receiving.stop();
  expect(await listener.end()).toEqual({ reason: "stopped" });
  expect((await ben.poll()).messages).toEqual([]);
});

test("a message is not acknowledged before the application has dealt with it", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  await sendText(ada, ben, "stubborn");
  let release: (() => void) | undefined;
  let calls = 0;
  const listener = listen(ben, {
    handle: () => {
      calls++;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    },
  });
  await listener.until(() => release !== undefined);
  expect((await ben.poll()).messages).toHaveLength(1);
  release?.();
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
  expect((await ben.poll()).messages).toEqual([]);
  expect(calls).toBe(1);
});

test("as many messages as the application takes at once are handled in order, and one frame acknowledges them", async () => {
  const texts = Array.from({ length: 120 }, (_, at) => `text ${at}`);
  const sockets = holdSockets();
  const frames: string[] = [];
  sockets.loses = (frame) => {
    if (frame.includes('"ack')) frames.push(frame);
    return false;
  };
  const runtime = { openSocket: sockets.openSocket, sleep: hurriedSleep() };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  for (const text of texts) await sendText(ada, ben, text);
  const arrived = () => sockets.received.filter((frame) => frame.includes('"type":"message"')).length;
  const begun: string[] = [];
  let [inHand, most, failures] = [0, 0, 0];
  const listener = listen(ben, {
    window: texts.length,
    atOnce: 50,
    async handle({ ciphertext }) {
      const text = new TextDecoder().decode(ciphertext);
      begun.push(text);
      most = Math.max(most, ++inHand);
      await until(async () => arrived() >= texts.length, "all have arrived");
      inHand -= 1;
      if (text === "text 60" && failures++ === 0) throw new Error("the application is not ready");
    },
  });
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
  expect(begun).toEqual([...texts, "text 60"]);
  expect(most).toBe(50);
  expect(listener.problems.map(String)).toEqual(["Error: the application is not ready"]);
  expect(frames.length).toBeLessThan(texts.length / 2);
  expect((await ben.poll()).messages).toEqual([]);
});

test("acknowledgements that fail are repeated together after the pause that the relay asks for, until the window has room again", async () => {
  const sockets = holdSockets();
  let acknowledged = 0;
  sockets.loses = (frame) => {
    acknowledged += frame.includes('"ack') ? 1 : 0;
    return false;
  };
  const errors = () => sockets.received.filter((frame) => frame.includes('"type":"error"')).length;
  const pauses: (() => void)[] = [];
  const { sleep } = runtimeWith();
  const isPause = (millis: number) => millis >= 5_000 && millis <= 7_500;
  const held: Runtime["sleep"] = (millis, signal) =>
    isPause(millis) ? new Promise((end) => void pauses.push(end)) : sleep(millis, signal);
  const [ada, ben] = [
    await newClient(relay),
    await newClient(relay, { runtime: { openSocket: sockets.openSocket, sleep: held } }),
  ];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let handled = 0;
  const listener = listen(ben, {
    async handle() {
      await gate;
      handled++;
    },
  });
  for (let at = 0; at < 10; at++) await sendText(ada, ben, `text ${at}`);
  await listener.until(() => sockets.received.filter((frame) => frame.includes('"type":"message"')).length === 10);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("alter table messages rename to messages_away");
  open();
  await listener.until(() => acknowledged > 0 && handled === 10 && errors() === acknowledged);
  for (const round of [1, 2, 3]) {
    await listener.until(() => pauses.length === round);
    const [frames, failed] = [acknowledged, errors()];
    pauses[round - 1]?.();
    // All of them in one frame, and nothing more until the next pause has passed.
    await listener.until(() => errors() > failed);
    expect([acknowledged, errors()]).toEqual([frames + 1, failed + 1]);
  }
  await db.run("alter table messages_away rename to messages");
  await db.close();
  await sendText(ada, ben, "behind the window");
  await listener.until(() => pauses.length === 4);
  pauses[3]?.();
  await listener.until(() => handled === 11);
  await listener.receiving.stop();
  expect((await ben.poll()).messages).toEqual([]);
});

test("acknowledgements that have failed are repeated at once when receiving stops", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const listener = listen(ben, {
    async handle() {
      await db.run("alter table messages rename to messages_away");
    },
  });
  await sendText(ada, ben, "one");
  await listener.until(({ problems }) => problems.length > 0);
  await db.run("alter table messages_away rename to messages");
  await listener.receiving.stop();
  await db.close();
  expect((await ben.poll()).messages).toEqual([]);
});

test("a message that the application failed on is offered again, and later ones go on", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime: { sleep: hurriedSleep() } })];
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses.length > 0);
  listener.failures = 1;
  await sendText(ada, ben, "first");
  await sendText(ada, ben, "second");
  await listener.until(({ texts }) => texts.length === 2);
  expect([...listener.texts].sort()).toEqual(["first", "second"]);
  expect(String(listener.problems[0])).toContain("the application is not ready");
  await expect.poll(async () => (await ben.poll()).messages).toEqual([]);
});

test("a stream that breaks is opened again, and what was handled is not handed over twice", async () => {
  const sockets = holdSockets();
  const runtime = { openSocket: sockets.openSocket, sleep: hurriedSleep() };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  sockets.loses = (frame) => frame.includes('"ack"');
  const listener = listen(ben);
  await sendText(ada, ben, "once");
  await listener.until(({ texts }) => texts.length === 1);
  expect((await ben.poll()).messages).toHaveLength(1);
  sockets.loses = () => false;
  sockets.break();
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
  await sendText(ada, ben, "then");
  await listener.until(({ texts }) => texts.length === 2);
  expect(listener.texts).toEqual(["once", "then"]);
  expect(listener.statuses.map(({ state }) => state)).toContain("reconnecting");
});

test("an application is told once that the queue was emptied, not after each later message", async () => {
  const sockets = holdSockets();
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime: { openSocket: sockets.openSocket } })];
  await sendText(ada, ben, "queued before");
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "empty"));
  for (const text of ["one", "two"]) {
    const emptied = sockets.received.length;
    await sendText(ada, ben, text);
    await listener.until(() => sockets.received.slice(emptied).some((frame) => frame.includes('"queue_empty":true')));
  }
  expect(listener.texts).toEqual(["queued before", "one", "two"]);
  expect(listener.statuses.map(({ state }) => state)).toEqual(["streaming", "empty"]);
});

test("after five tries the queue is polled, and the stream comes back when it can", async () => {
  const sockets = holdSockets();
  const runtime = { openSocket: sockets.openSocket, sleep: hurriedSleep({ polls: true }) };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  sockets.refusing = true;
  await sendText(ada, ben, "by polling");
  const listener = listen(ben, { pingSeconds: 5_000 });
  await listener.until(({ texts, statuses }) => texts.length === 1 && statuses.at(-1)?.state === "polling");
  expect(listener.statuses.map(({ state }) => state).slice(0, 5)).toEqual([
    ...Array(4).fill("reconnecting"),
    "polling",
  ]);
  const reconnects = listener.statuses.flatMap((status) =>
    status.state === "reconnecting" ? [status.afterMillis] : [],
  );
  [1, 2, 3, 3].forEach((seconds, i) => {
    expect(reconnects[i]).toBeGreaterThanOrEqual(500 * seconds);
    expect(reconnects[i]).toBeLessThanOrEqual(1000 * seconds);
  });
  for (let polls = 0; polls < 2; polls++) {
    const rounds = listener.statuses.length;
    relay.clock.advance(30);
    await listener.until(({ statuses }) => statuses.length > rounds);
  }
  expect((await ben.poll()).messages).toEqual([]);
  sockets.refusing = false;
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "streaming"));
});

test("a stream that another client of the device replaced is left to it", async () => {
  const first = await newClient(relay);
  const listener = listen(first);
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  const second = await newClient(relay, { keys: keysOf(first), announced: false, session: first.session() });
  const successor = listen(second);
  expect(await listener.end()).toEqual({ reason: "replaced" });
  await successor.until(({ statuses }) => statuses[0]?.state === "streaming");
});

test("frames and members that nobody knows are ignored", async () => {
  const sockets = holdSockets();
  const ben = await newClient(relay, { runtime: { openSocket: sockets.openSocket } });
  const ada = await newClient(relay);
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  for (const frame of ['{"type":"weather","data":1}', "not json", "null", "[]", '{"type":7}', new Uint8Array(3)]) {
    sockets.inject(frame);
  }
  sockets.inject(
    JSON.stringify({ type: "status", status: "connected", server_timestamp: 1, next_poll_fallback: 30, mood: "fine" }),
  );
  await sendText(ada, ben, "still here");
  await listener.until(({ texts }) => texts.length === 1);
  expect(listener.problems).toEqual([]);
});

const message = { message_id: "a", mls_ciphertext: "AQ==", sender_signature: "", timestamp: 1, received_at: 1 };

test.each([
  { type: "message" },
  { type: "message", data: null },
  { type: "message", data: [] },
  { type: "message", data: { ...message, mls_ciphertext: null } },
  { type: "message", data: { ...message, message_id: 7 } },
  { type: "message", data: { ...message, timestamp: undefined } },
  { type: "system", event: "epoch_change" },
  { type: "system", data: message },
  { type: "status", status: "connected" },
  { type: "status", status: "connected", server_timestamp: 1, next_poll_fallback: "30" },
  { type: "ack_confirmed" },
  { type: "ack_batch_confirmed", acknowledged_count: null, failed_count: 0 },
  { type: "send_result", status: "queued" },
  { type: "send_result", message_id: null, status: "rejected" },
  { type: "error", error: "INTERNAL_ERROR" },
])("a stream with the frame %j is broken, and another one is opened", async (frame) => {
  const sockets = holdSockets();
  const runtime = { openSocket: sockets.openSocket, sleep: hurriedSleep() };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  sockets.inject(JSON.stringify(frame));
  await sendText(ada, ben, "after it");
  await listener.until(({ texts }) => texts.length === 1);
  expect(listener.statuses.find(({ state }) => state === "reconnecting")).toMatchObject({ code: 1002 });
});

test("system events come as messages with their hint", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const events: unknown[] = [];
  const listener = listen(ben, { handle: ({ systemEvent }) => void events.push(systemEvent) });
  const event = { event: "epoch_change" as const, extension_type: "0xF000" };
  const to = ben.session()?.addresses[0] ?? "";
  await ada.send({ to, ciphertext: new Uint8Array([1]), signature: new Uint8Array(64), systemEvent: event });
  await listener.until(() => events.length === 1);
  expect(events).toEqual([event]);
});

test("a revoked session is followed by a new one without the application's help", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  const twin = await newClient(relay, { keys: keysOf(ben), announced: false });
  await twin.register({ admission: { by: "nothing" }, revokeOthers: true });
  await listener.until(({ statuses }) => statuses.filter(({ state }) => state === "streaming").length === 2);
  await sendText(ada, ben, "after all");
  await listener.until(({ texts }) => texts.length === 1);
});

test("an application that wants no stream polls", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  await sendText(ada, ben, "a");
  const listener = listen(ben, { transport: "poll" });
  await listener.until(({ statuses }) => statuses.length === 1);
  expect(listener.texts).toEqual(["a"]);
  expect(listener.statuses).toEqual([{ state: "polling", afterMillis: 30_000 }]);
  await listener.receiving.stop();
});
