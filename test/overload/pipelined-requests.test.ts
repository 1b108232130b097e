import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { connectRaw, type RawConnection } from "../http/raw.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { type MeasuredRelay, startMeasuredRelay } from "./measured.js";

const connections = 400;
/** As much as Node.js reads of a connection at once. */
const blockBytes = 65_536;
/** What Node.js takes on a machine of 1 GB. Answering every request of the blocks took more. */
const heapMegabytes = 256;

let relay: MeasuredRelay;
let anna: TestDevice;
let ben: TestDevice;
let stream: TestStream;

beforeAll(async () => {
  relay = await startMeasuredRelay({ PRESET: "small", NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` });
  [anna, ben] = [await newDevice(relay.target), await newDevice(relay.target)];
  stream = await openDeviceStream(relay.target.url, ben.token);
});
afterAll(async () => {
  await stream.close();
  await relay.stop();
});

/** Each connection writes one block of requests, and is closed by the relay. Returns how many requests were answered. */
async function writeBlocks(path: string, addressOf: (connection: number) => string): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const block = request.repeat(blockBytes / request.length);
  const raws: RawConnection[] = [];
  for (let i = 0; i < connections; i++) raws.push(connectRaw(relay.port, addressOf(i)));
  for (const raw of raws) raw.write(block);
  await Promise.all(raws.map(({ closed }) => closed));
  return raws.reduce((sum, raw) => sum + (raw.rest().match(/HTTP\/1\.1 \d/g)?.length ?? 0), 0);
}

async function expectStreamToWork(): Promise<void> {
  const sent = message(relay.target, ben.address, { ciphertext: new Uint8Array(64) });
  demand(await call(relay.target, "sendMessage", { token: anna.token, body: sent }));
  const { data } = await stream.next("message");
  expect(await stream.ack(data.message_id)).toBe(true);
}

const oneAddress = () => "127.0.0.1";
const manyAddresses = (connection: number) => `127.0.${1 + Math.floor(connection / 200)}.${1 + (connection % 200)}`;

test.each([
  { from: "one address", path: "/x", addressOf: oneAddress },
  { from: "many addresses", path: "/x", addressOf: manyAddresses },
  { from: "many addresses", path: routes.pollMessages.path, addressOf: manyAddresses },
])("blocks of pipelined requests for $path from $from end their connections, and nothing else", async ({
  path,
  addressOf,
}) => {
  const { pipelinedRequestsPerConnection } = relay.target.config;
  expect(await writeBlocks(path, addressOf)).toBeLessThanOrEqual(connections * pipelinedRequestsPerConnection);
  expect((await call(relay.target, "getHealthz", {})).status).toBe(200);
  await expectStreamToWork();
});
