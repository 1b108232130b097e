import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Call } from "../../src/messages/ingest/calls.js";
import { createLargeCalls } from "../../src/messages/ingest/large-calls.js";
import type { Parsed } from "../../src/messages/ingest/model/stages.js";
import { isDistributed } from "../support/backends.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { holdQueue } from "../support/held-queue.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startToManyFixture, type ToManyFixture } from "./to-many-fixture.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** Of these, a part has three, and all recipients are four parts. */
const largeBytes = 300 * kibibyte;

let many: ToManyFixture;
/** Has a connection for a lock and another one to look who waits for it. */
/** Two devices that are no recipients of large messages. */
let anna: TestDevice;
let ben: TestDevice;
beforeAll(async () => {
  many = await startToManyFixture({
    intakeFlushBytes: mebibyte,
    intakeConcurrentFlushes: 1,
    allOrNothingBytes: 8 * mebibyte,
  });
  [anna, ben] = [await many.unlimited(), await newDevice(many.relay)];
});
afterEach(() => many.emptyQueues());
afterAll(async () => {
  await many.stop();
});

const large = (bytes = largeBytes, allOrNothing = false) =>
  many.bodyFor(many.addresses(), { allOrNothing, changes: { mls_ciphertext: randomBytes(bytes).toString("base64") } });

const lockQueue = ({ deviceId }: TestDevice) => holdQueue(many.relay.databaseUrl, deviceId);

/** What is pending, and whether it still is. */
function pending<T>(answer: Promise<T>): { answer: Promise<T>; isPending(): boolean } {
  let isPending = true;
  const ended = () => {
    isPending = false;
  };
  void answer.then(ended, ended);
  return { answer, isPending: () => isPending };
}

describe("a large message to many", () => {
  beforeAll(async () => {
    // Each recipient has a queue from here on.
    demand(await many.sendBody(anna, many.bodyFor(many.addresses())));
    await many.emptyQueues();
  });

  // On several machines, only the one with the queue knows what waits for it.
  it.skipIf(isDistributed)("keeps no other message waiting, and reaches its recipients part by part", async () => {
    const [sender, body] = [await many.unlimited(), large()];
    const last = await lockQueue(many.recipients[11] as TestDevice);
    const sent = pending(many.sendBody(sender, body));
    await last.waited();
    // The first three parts are stored, in whatever order, while the last one waits.
    await expect.poll(() => many.queues(many.recipients.slice(0, 9))).toEqual(Array(9).fill([body.message_id]));
    for (let i = 0; i < 20; i++) demand(await anna.send(ben.address));
    demand(await many.sendBody(anna, many.bodyFor([anna.address, ben.address])));
    expect(sent.isPending()).toBe(true);
    await last.letGo();
    const { body: answer } = demand(await sent.answer);
    expect([answer.accepted_count, answer.rejected_count]).toEqual([12, 0]);
    expect(await many.queues()).toEqual(Array(12).fill([body.message_id]));
  });

  it.skipIf(isDistributed)("is stored in one transaction if it is all or nothing", async () => {
    const [sender, body] = [await many.unlimited(), large(largeBytes, true)];
    const last = await lockQueue(many.recipients[11] as TestDevice);
    const sent = pending(many.sendBody(sender, body));
    await last.waited();
    demand(await anna.send(ben.address));
    expect(sent.isPending()).toBe(true);
    expect(await many.queues()).toEqual(Array(12).fill([]));
    await last.letGo();
    demand(await sent.answer);
    expect(await many.queues()).toEqual(Array(12).fill([body.message_id]));
  });

  it("is refused if it is all or nothing and too large for a transaction, and otherwise accepted", async () => {
    const sender = await many.unlimited();
    const body = large(800 * kibibyte, true);
    const { status, body: refusal } = await many.sendBody(sender, body);
    expect([status, refusal.error]).toEqual([413, "MESSAGE_TOO_LARGE"]);
    expect(await many.queues()).toEqual(Array(12).fill([]));
    expect(demand(await many.sendBody(sender, { ...body, all_or_nothing: false })).body.accepted_count).toBe(12);
  });

  it.each([
    ["a share of four recipients if four take less than a mebibyte, across parts", 200 * kibibyte, 3],
    ["a share of three if four would take more", 300 * kibibyte, 4],
    ["each recipient if two would take more", 700 * kibibyte, 12],
  ])("counts %s", async (_, bytes, count) => {
    const sender = await many.unlimited();
    await many.db.run("update devices set admin_verified = true, custom_limit = 20 where device_id = :id", {
      id: sender.deviceId,
    });
    const answer = await many.sendBody(sender, large(bytes));
    expect(demand(answer).body.accepted_count).toBe(12);
    expect(limitsOf(answer)["messages"]).toMatchObject({ limit: 20, remaining: 20 - count });
  });

  it("counts nothing for a part that cannot be stored", async () => {
    const sender = await many.unlimited();
    await many.db.run("update devices set admin_verified = true, custom_limit = 20 where device_id = :id", {
      id: sender.deviceId,
    });
    // Five recipients are a part.
    const unstorable = many.recipients.slice(0, 5).map(({ deviceId }) => `'${deviceId}'`);
    await many.db.run(`alter table messages add constraint no_such check (device_id not in (${unstorable})) not valid`);
    const answer = await many.sendBody(sender, large(200 * kibibyte));
    await many.db.run("alter table messages drop constraint no_such");
    expect(demand(answer).body.recipient_statuses.map(({ error }) => error)).toEqual([
      ...Array(5).fill("INTERNAL"),
      ...Array(7).fill(undefined),
    ]);
    // The first four of the seven count as one message, and the others as another.
    expect(limitsOf(answer)["messages"]).toMatchObject({ limit: 20, remaining: 18 });
  });

  it("counts once what is stored in several parts because a recipient's part fails", async () => {
    const sender = await many.unlimited();
    await many.db.run("update devices set admin_verified = true, custom_limit = 20 where device_id = :id", {
      id: sender.deviceId,
    });
    const [unstorable] = many.recipients;
    await many.db.run(
      `alter table messages add constraint no_such check (device_id <> '${unstorable?.deviceId}') not valid`,
    );
    const answer = await many.sendBody(sender, many.bodyFor(many.addresses()));
    await many.db.run("alter table messages drop constraint no_such");
    expect(demand(answer).body.recipient_statuses.map(({ error }) => error)).toEqual([
      "INTERNAL",
      ...Array(11).fill(undefined),
    ]);
    // Four recipients count as one message.
    expect(limitsOf(answer)["messages"]).toMatchObject({ limit: 20, remaining: 17 });
  });

  it("is accepted for as many recipients as the sender's limit covers", async () => {
    // Trusted: five messages.
    const sender = await many.newSender(48);
    const { body } = demand(await many.sendBody(sender, large(700 * kibibyte)));
    expect(body.recipient_statuses.map(({ error }) => error)).toEqual([
      ...Array(5).fill(undefined),
      ...Array(7).fill("RATE_LIMIT_EXCEEDED"),
    ]);
  });
});

it.skipIf(isDistributed)("a flush that waits for a lock keeps only its own messages waiting", async () => {
  const locked = await lockQueue(many.recipients[0] as TestDevice);
  const sent = pending(anna.send(many.addresses(1)[0] ?? ""));
  await locked.waited();
  for (let i = 0; i < 5; i++) demand(await anna.send(ben.address));
  expect(sent.isPending()).toBe(true);
  await locked.letGo();
  demand(await sent.answer);
});

describe("large calls", () => {
  const config = { intakeFlushBytes: 10, intakeBufferBytes: 100, intakeLargeBytes: 100 };
  const callOf = (name: string, count: number): Call => ({
    parsed: Array.from({ length: count }, (_, i) => messageOf(`${name}${i}`)),
    toMany: undefined,
    sideEffect: undefined,
  });
  const weightOf = ({ parsed }: Call, bytes = 8) => ({ count: parsed.length, bytes, writtenBytes: 8 * parsed.length });

  /** Large calls whose parts are stored when the test says so. */
  function largeCalls() {
    const stored: string[] = [];
    const parts: (() => void)[] = [];
    const calls = createLargeCalls({
      config,
      async store({ parsed }) {
        await new Promise<void>((settle) => parts.push(settle));
        stored.push(...parsed.map(({ key }) => key));
        return parsed.map(() => ({ outcome: { status: "queued", estimate: "delayed" }, used: undefined }));
      },
    });
    const storeNext = async (): Promise<void> => {
      await nextTurn();
      parts.shift()?.();
      await nextTurn();
    };
    return { calls, stored, storeNext };
  }

  it("take turns after each part", async () => {
    const { calls, stored, storeNext } = largeCalls();
    const [long, short] = [callOf("long", 4), callOf("short", 2)];
    const done = [calls.add(long, weightOf(long)), calls.add(short, weightOf(short))];
    for (let part = 0; part < 6; part++) await storeNext();
    await Promise.all(done);
    expect(stored).toEqual(["long0", "short0", "long1", "short1", "long2", "long3"]);
  });

  it("are refused beyond the bytes that may be under way, except a first one", async () => {
    const { calls, storeNext } = largeCalls();
    const [huge, tiny] = [callOf("huge", 20), callOf("tiny", 1)];
    const stored = calls.add(huge, weightOf(huge));
    await expect(calls.add(tiny, weightOf(tiny))).rejects.toMatchObject({ id: "OVERLOADED" });
    for (let part = 0; part < 20; part++) await storeNext();
    await stored;
    const held = [calls.add(tiny, weightOf(tiny, 60))];
    await expect(calls.add(tiny, weightOf(tiny, 60))).rejects.toMatchObject({ id: "OVERLOADED" });
    held.push(calls.add(tiny, weightOf(tiny, 40)));
    for (let part = 0; part < 2; part++) await storeNext();
    await Promise.all(held);
  });

  it("end after the part under way when they are stopped", async () => {
    const { calls, stored, storeNext } = largeCalls();
    const call = callOf("part", 3);
    const ended = calls.add(call, weightOf(call));
    await nextTurn();
    const stopping = calls.stop();
    await storeNext();
    const [answers] = await Promise.all([ended, stopping]);
    expect(stored).toEqual(["part0"]);
    expect(answers.map(({ outcome }) => outcome)).toMatchObject([
      { status: "queued" },
      { error: "OVERLOADED" },
      { error: "OVERLOADED" },
    ]);
    await expect(calls.add(call, weightOf(call))).rejects.toMatchObject({ id: "OVERLOADED" });
  });
});

function messageOf(key: string): Parsed {
  const envelope = { ciphertext: Buffer.alloc(8) } as Parsed["envelope"];
  return { sender: { kind: "peer", domain: "" }, envelope, key, acceptedAtMillis: 0, toMany: undefined };
}
