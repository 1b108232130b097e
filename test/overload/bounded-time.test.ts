import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import { type MeasuredRelay, startMeasuredRelay } from "./measured.js";

// The peak is what comes through while exactly as much is under way as may wait; everything is compared with it.

const mebibyte = 1024 * 1024;
const batchSize = 100;
const bufferMessages = 400;
/** Batches that may wait. */
const fitting = bufferMessages / batchSize;
const seconds = 3;
const ciphertext = new Uint8Array(64);

let relay: MeasuredRelay;
let batchUrl: string;
let sender: TestDevice;
let recipient: TestDevice;

beforeAll(async () => {
  relay = await startMeasuredRelay({
    INTAKE_BUFFER_MESSAGES: String(bufferMessages),
    SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
  });
  batchUrl = `${relay.target.url}${routes.sendMessageBatch.path}`;
  [sender, recipient] = [await newDevice(relay.target), await newDevice(relay.target)];
}, 60_000);
afterAll(() => relay.stop());

interface Answer {
  status: number;
  millis: number;
}

/** The body of a batch, as text: what it takes to make one is not to slow the sending down. */
function newBody(): string {
  const messages = Array.from({ length: batchSize }, () => message(relay.target, recipient.address, { ciphertext }));
  return JSON.stringify({ messages });
}

async function send(body: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${sender.token}`, "content-type": "application/json" };
  const began = performance.now();
  const answer = await fetch(batchUrl, { method: "POST", headers, body });
  await answer.text();
  return { status: answer.status, millis: performance.now() - began };
}

/** Keeps so many batches under way, a new one for each that is answered, whatever the answer. */
async function keepUnderWay(count: number): Promise<{ answers: Answer[]; bytes: number }> {
  const answers: Answer[] = [];
  let bytes = 0;
  const until = performance.now() + seconds * 1_000;
  const keepSending = async () => {
    while (performance.now() < until) {
      const body = newBody();
      bytes += body.length;
      answers.push(await send(body));
    }
  };
  await Promise.all(Array.from({ length: count }, keepSending));
  return { answers, bytes };
}

function accepted(answers: readonly Answer[]): number[] {
  return answers.flatMap(({ status, millis }) => (status === 202 ? [millis] : [])).sort((a, b) => a - b);
}

function refused(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).filter((status) => status !== 202);
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

test("with six times as much under way as may wait, the accepted are answered in bounded time; then all is as before", async () => {
  // Code is compiled while it runs.
  await keepUnderWay(fitting);
  const peak = await keepUnderWay(fitting);
  expect(refused(peak.answers)).toEqual([]);
  const memory = await relay.held();

  const { answers, bytes } = await keepUnderWay(6 * fitting);
  expect([...new Set(refused(answers))]).toEqual([503]);
  expect(accepted(answers).length).toBeGreaterThan(accepted(peak.answers).length / 4);
  // Six times as much is before each of them at most; the rest is what else the machine does.
  expect(p99(accepted(answers))).toBeLessThan(18 * p99(accepted(peak.answers)));

  const after = await keepUnderWay(fitting);
  expect(refused(after.answers)).toEqual([]);
  expect(after.answers.length).toBeGreaterThan(peak.answers.length / 3);
  expect((await relay.held()) - memory).toBeLessThan(mebibyte + bytes / 4);
}, 60_000);
