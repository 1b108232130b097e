import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { constantsEnvironment } from "../../src/composition/config.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { holdQueue } from "../support/held-queue.js";
import { openDeviceStream } from "../support/stream.js";
import { gatherArrivers } from "./arriving.js";
import type { Arrived } from "./arriving-process.js";
import { type MeasuredRelay, startMeasuredRelay } from "./measured.js";

// Every bound is compared with what came in within the same test: memory that grew with it would be larger.

const mebibyte = 1024 * 1024;
const bufferMessages = 400;
const batchSize = 100;
/** What the streams of the relay may keep in memory of messages that cannot be sent yet. */
const heldBytes = 2 * mebibyte;
const stuckMillis = 600_000;
const long = process.env["LONG"] === "1";
/** The relay holds as many as it finds descriptors for below 20,000 (`ulimit -n`); so some of the long run go again. */
const arriving = long ? { count: 20_000, stay: 14_000 } : { count: 60, stay: 60 };
const patience = { timeout: long ? 600_000 : 180_000 };
/** On a machine that does other things as well. */
const testMillis = long ? 1_200_000 : 240_000;

let relay: MeasuredRelay;

beforeAll(async () => {
  relay = await startMeasuredRelay({
    INTAKE_BUFFER_MESSAGES: String(bufferMessages),
    STREAM_HELD_BYTES: String(heldBytes),
    STREAMS_PER_NODE: "18000",
    // Flushes are held here for as long as a busy machine takes to refuse: neither do others begin beside them, nor does
    // the database count as one that hangs.
    ...constantsEnvironment({
      authFrameTimeoutSeconds: long ? 300 : 60,
      intakeSlowFlushes: 0,
      intakeStuckMillis: stuckMillis,
    }),
    SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "100000",
  });
}, testMillis);
afterAll(() => relay.stop());

function batch(recipient: string, bytes: number, count = batchSize) {
  const ciphertext = randomBytes(bytes);
  return { messages: Array.from({ length: count }, () => message(relay.target, recipient, { ciphertext })) };
}

/** The answer's status and error, and whether it tells when to come again. */
async function sendBatch(from: TestDevice, body: unknown) {
  const { status, headers, ...answer } = await call(relay.target, "sendMessageBatch", { token: from.token, body });
  return { status, error: answer.body.error, tellsWhen: Number(headers.get("retry-after")) > 0 };
}

async function countQueue(device: TestDevice): Promise<number> {
  let count = 0;
  for (;;) {
    const { messages } = demand(await device.poll({ limit: 1000 })).body;
    if (messages.length === 0) return count;
    count += messages.length;
    demand(await device.ack(messages.map(({ message_id }) => message_id)));
  }
}

test(
  "beyond what may wait, sending is refused at once; what was accepted is stored, and it goes on by itself",
  async () => {
    const [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
    expect((await sendBatch(anna, batch(ben.address, 64))).status).toBe(202);
    const standing = await holdQueue(relay.databaseUrl, ben.deviceId);
    // Six times what may wait; as much as may wait is in flushes.
    const bodies = Array.from({ length: (6 * bufferMessages) / batchSize }, () => batch(ben.address, 64));
    const answers: Awaited<ReturnType<typeof sendBatch>>[] = [];
    const sending = bodies.map(async (body) => answers.push(await sendBatch(anna, body)));
    const early = async () => answers.length;
    const refusals = (3 * bufferMessages) / batchSize;
    // The database stands still, so these did not wait for it.
    await expect
      .poll(early, patience)
      .toBeGreaterThanOrEqual(refusals)
      .finally(() => standing.letGo());
    for (const answer of answers.slice(0, refusals)) {
      expect(answer).toEqual({ status: 503, error: "OVERLOADED", tellsWhen: true });
    }
    await Promise.all(sending);
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(bodies.length - accepted.length);
    expect((await sendBatch(anna, batch(ben.address, 64))).status).toBe(202);
    expect(await countQueue(ben)).toBe((accepted.length + 2) * batchSize);
  },
  testMillis,
);

test(
  "memory stays flat while three times as much is sent as is accepted",
  async () => {
    const [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
    const flood = async (rounds: number): Promise<number> => {
      let sent = 0;
      for (let round = 0; round < rounds; round++) {
        const bodies = Array.from({ length: (3 * bufferMessages) / batchSize }, () => batch(ben.address, 4096));
        await Promise.all(bodies.map((body) => sendBatch(anna, body)));
        sent += bodies.length * batchSize * 4096;
      }
      return sent;
    };
    await flood(1);
    const before = await relay.held();
    const sent = await flood(3);
    expect((await relay.held()) - before).toBeLessThan(sent / 4);
  },
  testMillis,
);

test(
  "a client that never acknowledges costs its window, however much waits for it",
  async () => {
    const [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
    const stream = await openDeviceStream(relay.target.url, ben.token);
    const before = await relay.held();
    const bytes = 64 * 1024;
    const rounds = 4;
    for (let round = 0; round < rounds; round++) {
      expect((await sendBatch(anna, batch(ben.address, bytes))).status).toBe(202);
    }
    const sent = rounds * batchSize * bytes;
    expect((await relay.held()) - before).toBeLessThan(sent / 4);
    expect(stream.all("message").length).toBeLessThanOrEqual(relay.target.config.streamWindow);
    await stream.close();
  },
  testMillis,
);

test(
  "a client that reads nothing is sent no more than the buffer and one message",
  async () => {
    const [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
    const stream = await openDeviceStream(relay.target.url, ben.token);
    (stream.socket as unknown as { pause(): void }).pause();
    const bytes = mebibyte;
    const count = relay.target.config.streamWindow;
    const before = await relay.held();
    for (let i = 0; i < count; i++) {
      demand(await anna.send(ben.address, { ciphertext: randomBytes(bytes) }));
    }
    const inBase64 = (bytes * 4) / 3;
    expect((await relay.held()) - before).toBeLessThan((count * inBase64) / 2);
    (stream.socket as unknown as { resume(): void }).resume();
    await expect.poll(() => stream.all("message").length, patience).toBe(count);
    await stream.close();
  },
  testMillis,
);

test(
  "many polls of a queue of the largest messages take the memory of a page, not of the queue",
  async () => {
    const [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
    const { maxMessageBytes: bytes, count } = { maxMessageBytes: 10 * mebibyte, count: 4 };
    for (let i = 0; i < count; i++) {
      demand(await anna.send(ben.address, { ciphertext: randomBytes(bytes) }));
    }
    const polls = 6;
    const pages = async () => {
      const answers = await Promise.all(Array.from({ length: polls }, () => ben.poll({ limit: 1000 })));
      for (const { status, body } of answers) {
        expect([200, 503]).toContain(status);
        if (status === 200) expect(body.messages).toHaveLength(1);
      }
    };
    const growth = await relay.growthDuring(pages);
    // The polls could ask for six times the queue, which takes several times its size on the way; they get one message each.
    expect(growth).toBeLessThan(polls * count * bytes);
  },
  testMillis,
);

test(
  "streams that all come at once are all served, and leave nothing behind",
  async () => {
    const arrivers = await gatherArrivers(2, { port: relay.port, domain: relay.target.config.domain, ...arriving });
    const before = await relay.held();
    const began = performance.now();
    let arrived: Arrived | undefined;
    const growth = await relay.growthDuring(async () => {
      arrived = await arrivers.arrive();
    });
    const seconds = (performance.now() - began) / 1000;
    const { served = 0, open = 0 } = arrived ?? {};
    const perStream = ((await relay.held()) - before) / open;
    if (long) console.log({ ...arrived, seconds, bytesOfEach: perStream, growthAtMost: growth });
    expect(served).toBe(arriving.count);
    expect(perStream).toBeLessThan(64 * 1024);
    // Code that is compiled meanwhile takes some as well.
    expect(growth).toBeLessThan(64 * mebibyte + arriving.count * 64 * 1024);
    await arrivers.leave();
    await sleep(100);
    expect((await relay.held()) - before).toBeLessThan(mebibyte + (perStream * open) / 2);
  },
  testMillis,
);
