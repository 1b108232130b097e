import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { requestText } from "../../scripts/bench/http-connection.js";
import { connectRaw } from "../http/raw.js";
import { message, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const mebibyte = 1024 * 1024;
let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.stop());

/** The head of a request with a body of this many bytes, which is not sent. */
function headOf(token: string, { bytes, path, type }: { bytes: number; path: string; type: string }): string {
  const headers = [
    `Host: relay.test`,
    `Authorization: Bearer ${token}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes}`,
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`;
}

// The second type differs from that of most requests.
test.each([
  "application/json",
  "application/json; charset=utf-8",
])("a long body (%s) of a device whose limit is used up is refused before any of it has come", async (type) => {
  const device = await newDevice(relay);
  const batch = { path: routes.sendMessageBatch.path, bytes: 20 * mebibyte, type };
  const raw = connectRaw(Number(new URL(relay.url).port));
  let limit: number | undefined;
  for (let sent = 0; limit === undefined && sent < 100; sent++) {
    const { status, body } = await device.send(device.address);
    if (status === 429) limit = Number(body["limit"]);
  }
  expect(limit).toBeGreaterThan(0);

  raw.write(headOf(device.token, batch));
  const answer = await raw.answer();
  expect(answer.status).toBe(429);
  expect(JSON.parse(answer.text)).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit, code: 4004 });
  expect(JSON.parse(answer.text).reset_at).toBeGreaterThan(relay.clock.nowSeconds());
  expect(answer.head).toMatch(/^retry-after: \d+$/im);
  raw.socket.destroy();

  // A short one is read, and each of its messages is refused on its own.
  const short = { messages: [message(relay, device.address)] };
  const other = connectRaw(Number(new URL(relay.url).port));
  other.write(requestText("POST", batch.path, { token: device.token, body: short }));
  expect((await other.answer()).status).toBe(202);
  other.socket.destroy();
});

test("a long body of a device that may send is read", async () => {
  const device = await newDevice(relay);
  const body = message(relay, device.address, { ciphertext: new Uint8Array(2 * mebibyte) });
  const raw = connectRaw(Number(new URL(relay.url).port));
  raw.write(requestText("POST", routes.sendMessage.path, { token: device.token, body }));
  expect((await raw.answer()).status).toBe(202);
  raw.socket.destroy();
});
