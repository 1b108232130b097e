import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createDatabase } from "../../src/database/pool/pool.js";
import { connectRaw } from "../http/raw.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream } from "../support/stream.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ unauthenticatedStreamsPerIp: 5 });
});
afterAll(async () => relay.stop());

const invalidToken = { error: "INVALID_TOKEN", code: 4008 };

/** The head of an upgrade request, without the empty line at its end. */
function handshake(given: { method?: string; key?: string; version?: string; host?: string } = {}): string {
  const { method = "GET", key = "dGhlIHNhbXBsZSBub25jZQ==", version = "13", host = "relay.test" } = given;
  const headers = { Host: host, Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": key };
  const sent = Object.entries({ ...headers, "Sec-WebSocket-Version": version }).filter(([, value]) => value !== "");
  return `${method} /v1/stream HTTP/1.1\r\n${sent.map(([name, value]) => `${name}: ${value}\r\n`).join("")}`;
}

/** A short text frame as clients send it: masked, here by zeros (RFC 6455, section 5.2). */
function clientFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

async function refreshed(token: string): Promise<string> {
  return demand(await call(relay, "refreshDeviceToken", { token })).body.access_token;
}

test("a stream is open once its auth frame has been accepted", async () => {
  const device = await newDevice(relay);
  const stream = await openStream(relay.url);
  expect(stream.frames).toEqual([]);
  const opening = await timed(relay.clock, () => {
    stream.send({ type: "auth", access_token: device.token });
    return stream.next("status");
  });
  expect(opening.result).toMatchObject({ status: "connected", next_poll_fallback: 30 });
  expectDuring(opening.result.server_timestamp, opening);
  expect(await stream.close()).toMatchObject({ code: 1005 });
});

test("a ping is answered with a status frame", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  expect(await stream.next("status")).toMatchObject({ queue_empty: true });
  stream.send({ type: "ping", timestamp: 1 });
  expect(await stream.next("status")).toMatchObject({ status: "connected" });
  await stream.close();
});

test.each([
  ["no token at all", ""],
  ["something that is no token", "abc"],
  ["a token with a wrong signature", "eyJhbGciOiJFZERTQSIsInR5cCI6InN2Yy1kZXZpY2Urand0In0.eyJzdWIiOiJhIn0.AAAA"],
])("%s ends the stream with 4008 after an error frame", async (_, token) => {
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: token });
  expect(await stream.next("error")).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
});

test("any other frame of the contract before auth ends the stream with 4008", async () => {
  const stream = await openStream(relay.url);
  stream.send({ type: "ping", timestamp: 1 });
  expect(await stream.next("error")).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
});

test("a stream that sends no auth frame for ten seconds ends with 4008", async () => {
  const stream = await openStream(relay.url);
  relay.clock.advance(5);
  await stream.none("error");
  relay.clock.advance(5);
  expect(await stream.next("error")).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
});

test("a device without an active address is refused with 4002", async () => {
  const device = await newDevice(relay);
  relay.clock.advance(23 * 3600);
  const token = await refreshed(device.token);
  relay.clock.advance(2 * 3600);
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: token });
  expect(await stream.next("error")).toMatchObject({ error: "DEVICE_NOT_ANNOUNCED", code: 4002 });
  expect(await stream.closed).toMatchObject({ code: 4002 });
});

test("when the token expires the stream ends with 4008", async () => {
  const device = await newDevice(relay);
  relay.clock.advance(3600);
  const stream = await openDeviceStream(relay.url, device.token);
  relay.clock.advance(23 * 3600);
  expect(await stream.next("error")).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
});

test("a newer token of the device replaces the older without a break", async () => {
  const device = await newDevice(relay);
  relay.clock.advance(12 * 3600);
  const stream = await openDeviceStream(relay.url, device.token);
  await stream.next("status");
  stream.send({ type: "auth", access_token: await refreshed(device.token) });
  expect(await stream.next("status")).toMatchObject({ status: "connected" });
  relay.clock.advance(12 * 3600 + 60);
  stream.send({ type: "ping", timestamp: 1 });
  expect(await stream.next("status")).toMatchObject({ status: "connected" });
  await stream.none("error");
  await stream.close();
});

test("a token of another device on an open stream ends it with 4008", async () => {
  const [device, other] = [await newDevice(relay), await newDevice(relay)];
  const stream = await openDeviceStream(relay.url, device.token);
  stream.send({ type: "auth", access_token: other.token });
  expect(await stream.next("error")).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
});

test("ending the device's other sessions closes their stream with 4008 within a second", async () => {
  const device = await newDevice(relay);
  relay.clock.advance(1200);
  const stream = await openDeviceStream(relay.url, device.token);
  relay.clock.advance(5);
  await device.announce({ revoke_others: true });
  expect(await stream.next("error", 1_500)).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
  const next = await openDeviceStream(relay.url, device.token);
  await next.close();
});

test("revoking the key that signed the token closes the stream with 4008", async () => {
  const node = await startRelay();
  const device = await newDevice(node);
  const stream = await openDeviceStream(node.url, device.token);
  const db = createDatabase({ url: node.databaseUrl, poolSize: 1 });
  await db.run("update signing_keys set revoked_at = :value::bigint", { value: node.clock.nowSeconds() });
  expect(await stream.next("error", 2_000)).toMatchObject(invalidToken);
  expect(await stream.closed).toMatchObject({ code: 4008 });
  await db.close();
  await node.stop();
});

test("a peer that leaves two pings unanswered is disconnected", async () => {
  const device = await newDevice(relay);
  const socket = new WebSocket(relay.streamUrl, { autoPong: false });
  await once(socket, "open");
  const closed = once(socket, "close");
  socket.send(JSON.stringify({ type: "auth", access_token: device.token }));
  await once(socket, "message");
  for (let pings = 0; pings < 2; pings++) {
    const ping = once(socket, "ping");
    relay.clock.advance(30);
    await ping;
  }
  relay.clock.advance(30);
  expect((await closed)[0]).toBe(1006);
});

test("a peer that answers pings stays", async () => {
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  for (let pings = 0; pings < 4; pings++) {
    const ping = once(stream.socket, "ping");
    relay.clock.advance(30);
    await ping;
  }
  stream.send({ type: "ping", timestamp: 1 });
  await stream.next("status");
  await stream.close();
});

/** The answer to a refused upgrade. */
async function refusedUpgrade(): Promise<{ status: number; headers: IncomingHttpHeaders; body: unknown }> {
  const refused = new WebSocket(relay.streamUrl);
  refused.on("error", () => refused.terminate());
  const [, response] = (await once(refused, "unexpected-response")) as [unknown, IncomingMessage];
  const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
  refused.terminate();
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

test("sockets that have not authenticated are limited per network address", async () => {
  const idle = await Promise.all(Array.from({ length: 5 }, () => openStream(relay.url)));
  const now = relay.clock.nowSeconds();
  const { status, headers, body } = await refusedUpgrade();
  expect(status).toBe(429);
  expect(headers["retry-after"]).toBe("10");
  expect(body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 5, retry_after: 10 });
  expect((body as { reset_at: number }).reset_at).toBeGreaterThanOrEqual(now + 10);
  await idle[0]?.close();
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  const second = await openStream(relay.url);
  for (const open of [stream, second, ...idle.slice(1)]) await open.close();
});

test("a refused socket counts for its address until it is gone, and is soon cut off", async () => {
  const sockets = Array.from({ length: 5 }, () => connectRaw(Number(new URL(relay.url).port)));
  for (const raw of sockets) {
    raw.write(`${handshake()}\r\n`);
    expect((await raw.answer()).status).toBe(101);
    // Any frame but auth is refused. This client sends one and never completes the closing handshake.
    raw.socket.write(clientFrame('{"type":"ping","timestamp":1}'));
    await expect.poll(() => raw.rest()).toContain("INVALID_TOKEN");
  }
  expect((await refusedUpgrade()).status).toBe(429);
  relay.clock.advance(5);
  await Promise.all(sockets.map(({ closed }) => closed));
  const stream = await openStream(relay.url);
  await stream.close();
});

test.each([
  ["of another method", handshake({ method: "POST" }), 405, "METHOD_NOT_ALLOWED", /^allow: GET$/im],
  ["without a key", handshake({ key: "" }), 400, "INVALID_REQUEST", /^sec-websocket-version: 13$/im],
  ["of another version", handshake({ version: "99" }), 400, "INVALID_REQUEST", /^sec-websocket-version: 13$/im],
  ["without a Host", handshake({ host: "" }), 400, "INVALID_REQUEST", /^content-type: application\/json/im],
])("an upgrade %s is refused with an error of the catalogue", async (_, request, status, error, header) => {
  const raw = connectRaw(Number(new URL(relay.url).port));
  raw.write(`${request}\r\n`);
  const answer = await raw.answer();
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toMatchObject({ error });
  expect(answer.head).toMatch(header);
  expect(answer.head).toMatch(/^connection: close$/im);
  await raw.closed;
});

test("an upgrade at any other path is answered with 404", async () => {
  const upgrade = request(`${relay.url}/v1/streams`, {
    headers: {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    },
  });
  upgrade.end();
  const [response] = await once(upgrade, "response");
  response.setEncoding("utf8");
  let body = "";
  for await (const part of response) body += part;
  expect(response.statusCode).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: "NOT_FOUND", code: 4016 });
});

test("compression is not negotiated", async () => {
  const stream = await openStream(relay.url);
  expect(stream.socket.extensions).toBe("");
  await stream.close();
});
