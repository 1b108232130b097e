import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { ServerFrame } from "../../generated/frames.js";
import { Connection } from "../../src/stream/connection.js";

const rules = { bufferLimitBytes: 1_000_000, silenceSeconds: 1, leastBytesPerSecond: 0 };
let server: Server;
let client: WebSocket;
let transport: Socket;
let connection: Connection;

beforeAll(async () => {
  server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const opened = new Promise<{ socket: WebSocket; transport: Socket }>((settle) => {
    sockets.once("connection", (socket, request) => settle({ socket, transport: request.socket }));
  });
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const pair = await opened;
  ({ transport } = pair);
  connection = new Connection(pair, rules, () => undefined);
});

afterAll(() => {
  client.terminate();
  server.closeAllConnections();
  server.close();
});

/** Counts the writes to the socket. */
function countWrites(): () => number {
  let count = 0;
  for (const name of ["_write", "_writev"] as const) {
    const own = transport[name]?.bind(transport) as (...given: unknown[]) => void;
    Object.assign(transport, {
      [name]: (...given: unknown[]) => {
        count += 1;
        own(...given);
      },
    });
  }
  return () => count;
}

test("frames of one turn are written together, in order, and those of the next turn after them", async () => {
  const got: number[] = [];
  client.on("message", (data) => got.push(JSON.parse(String(data)).acknowledged_count));
  const writes = countWrites();
  const frame = (count: number): ServerFrame => ({
    type: "ack_batch_confirmed",
    acknowledged_count: count,
    failed_count: 0,
  });
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  for (const number of numbers.slice(0, 40)) connection.send(frame(number));
  await new Promise(setImmediate);
  expect(writes()).toBe(1);
  for (const number of numbers.slice(40)) connection.send(frame(number));
  await expect.poll(() => got).toEqual(numbers);
  expect(writes()).toBe(2);
});
