import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { message, newDevice, type TestDevice } from "../support/device.js";
import { type MeasuredRelay, startMeasuredRelay } from "./measured.js";

// What is refused is what is more than may wait.

const mebibyte = 1024 * 1024;
const batchSize = 100;
const bufferMessages = 400;
/** Batches that may wait. */
const fitting = bufferMessages / batchSize;
/** Batches that each sender sends one after the other. */
const rounds = 20;
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
});
afterAll(() => relay.stop());

/** The body of a batch, as text: what it takes to make one is not to slow the sending down. */
function newBody(): string {
  const messages = Array.from({ length: batchSize }, () => message(relay.target, recipient.address, { ciphertext }));
  return JSON.stringify({ messages });
}

async function send(body: string): Promise<number> {
  const headers = { authorization: `Bearer ${sender.token}`, "content-type": "application/json" };
  const answer = await fetch(batchUrl, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

/** Keeps so many batches under way, a new one for each that is answered, whatever the answer. */
async function keepUnderWay(count: number): Promise<{ statuses: Set<number>; bytes: number }> {
  const statuses = new Set<number>();
  let bytes = 0;
  const keepSending = async () => {
    for (let round = 0; round < rounds; round++) {
      const body = newBody();
      bytes += body.length;
      statuses.add(await send(body));
    }
  };
  await Promise.all(Array.from({ length: count }, keepSending));
  return { statuses, bytes };
}

test("with six times as many requests as may wait, some are accepted and the rest refused; afterwards all works as before", async () => {
  // Code is compiled while it runs.
  await keepUnderWay(fitting);
  expect((await keepUnderWay(fitting)).statuses).toEqual(new Set([202]));
  const memory = await relay.held();

  const { statuses, bytes } = await keepUnderWay(6 * fitting);
  expect(statuses).toEqual(new Set([202, 503]));

  expect((await keepUnderWay(fitting)).statuses).toEqual(new Set([202]));
  expect((await relay.held()) - memory).toBeLessThan(mebibyte + bytes / 4);
});
