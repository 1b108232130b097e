import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { type HttpConnection, openConnection, requestText } from "../../scripts/bench/http-connection.js";
import { constantsEnvironment } from "../../src/composition/config.js";
import { connectRaw } from "../http/raw.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { holdQueue } from "../support/held-queue.js";
import { type MeasuredRelay, startMeasuredRelay } from "./measured.js";

// So many are always taken, and hardly any more: what is refused does not depend on how fast the machine is.
const alwaysTaken = 40;
const mebibyte = 1024 * 1024;

let relay: MeasuredRelay;
let anna: TestDevice;
let ben: TestDevice;

beforeAll(async () => {
  relay = await startMeasuredRelay({
    SEND_WAIT_MILLIS: "1",
    ...constantsEnvironment({ sendsAlwaysTaken: alwaysTaken, batchesAlwaysTaken: 2 }),
    ...{ SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000", SEED_STORAGE_MESSAGE_QUEUE_BYTES_LIMIT: "1099511627776" },
  });
  [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
});
afterAll(() => relay.stop());

function sendToBen(headers: Record<string, string> = {}) {
  const body = message(relay.target, ben.address, { ciphertext: new Uint8Array(64) });
  return call(relay.target, "sendMessage", { token: anna.token, body, headers });
}

/** More sends than are taken, of which the others wait for the database. */
async function fillRoom() {
  // The first message makes the queue.
  expect((await sendToBen()).status).toBe(202);
  const standing = await holdQueue(relay.databaseUrl, ben.deviceId);
  const statuses: number[] = [];
  const sending = Array.from({ length: 4 * alwaysTaken }, async () => statuses.push((await sendToBen()).status));
  const refused = () => statuses.filter((status) => status === 503).length;
  const release = async () => {
    await standing.letGo();
    await Promise.all(sending);
  };
  await expect
    .poll(refused)
    .toBeGreaterThanOrEqual(alwaysTaken)
    .catch(async (problem) => {
      await release();
      throw problem;
    });
  return { release, statuses };
}

test("sends beyond capacity are refused before they are read; everything else works, and the relay recovers by itself", async () => {
  const { release, statuses } = await fillRoom();
  const refused = await sendToBen();
  expect(refused).toMatchObject({ status: 503, body: { error: "OVERLOADED", code: 5001 } });
  expect(refused.headers.get("retry-after")).toBe("1");

  // The long way, through Express, refuses in the same words.
  const long = await sendToBen({ "content-type": "application/json; charset=utf-8" });
  expect(long).toMatchObject({ status: 503, body: refused.body });
  const names = ({ headers }: { headers: Headers }) => [...headers.keys()].filter((name) => name !== "date").sort();
  expect(names(long)).toEqual(names(refused));

  await expectRefusedUnread();
  expect((await call(relay.target, "getHealthz", {})).status).toBe(200);
  demand(await anna.poll());
  demand(await anna.ack([]));

  await release();
  expect(new Set(statuses)).toEqual(new Set([202, 503]));
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(alwaysTaken);
  expect((await sendToBen()).status).toBe(202);
});

/** Nothing of the body has come; once it has, the connection serves the next request. */
async function expectRefusedUnread(): Promise<void> {
  const raw = connectRaw(Number(new URL(relay.target.url).port));
  const text = requestText("POST", routes.sendMessage.path, { token: anna.token, body: { never: "read" } });
  const end = text.indexOf("\r\n\r\n") + 4;
  raw.write(text.slice(0, end));
  expect((await raw.answer()).status).toBe(503);
  raw.write(text.slice(end));
  raw.write(requestText("GET", routes.getHealthz.path));
  expect((await raw.answer()).status).not.toBe(503);
  raw.socket.destroy();
}

//
test("clients that insist are refused or served, cost no memory, and are all served once there are fewer of them", async () => {
  const sends = 30;
  await keepSending(alwaysTaken, sends);
  expect(await keepSending(alwaysTaken, sends)).toEqual({ accepted: alwaysTaken * sends, refused: 0 });
  const before = await relay.held();

  // Refusing is code as well, which is compiled while it runs.
  await keepSending(12 * alwaysTaken, sends);
  const flood = await keepSending(12 * alwaysTaken, sends);
  expect(flood.refused).toBeGreaterThan(0);
  expect(flood.accepted).toBeGreaterThanOrEqual(alwaysTaken);

  expect(await keepSending(alwaysTaken, sends)).toEqual({ accepted: alwaysTaken * sends, refused: 0 });
  expect((await relay.held()) - before).toBeLessThan(8 * mebibyte);
});

interface Outcome {
  accepted: number;
  refused: number;
}

/** So many clients, each sending so often, again as soon as it is answered, whatever the answer. */
async function keepSending(clients: number, sends: number): Promise<Outcome> {
  const port = Number(new URL(relay.target.url).port);
  const wires: HttpConnection[] = [];
  for (let i = 0; i < clients; i++) wires.push(await openConnection(port));
  const outcome: Outcome = { accepted: 0, refused: 0 };
  const send = async (wire: HttpConnection) => {
    for (let i = 0; i < sends; i++) await sendOn(wire, outcome);
  };
  await Promise.all(wires.map(send));
  for (const wire of wires) wire.close();
  return outcome;
}

async function sendOn(wire: HttpConnection, outcome: Outcome): Promise<void> {
  const body = message(relay.target, ben.address, { ciphertext: new Uint8Array(64) });
  const request = requestText("POST", routes.sendMessage.path, { token: anna.token, body });
  const { status } = await wire.ask(request);
  if (status === 202) outcome.accepted += 1;
  else {
    expect(status).toBe(503);
    outcome.refused += 1;
  }
}
