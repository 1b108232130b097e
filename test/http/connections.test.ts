import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { parseTrustedProxies } from "../../src/platform/addresses/client-ip.js";
import { networkKey } from "../../src/platform/addresses/network-key.js";
import { NetworkCounts } from "../../src/platform/net/network-counts.js";
import { serveFixture } from "./fixture-server.js";
import { connectRaw, type RawConnection } from "./raw.js";

const mebibyte = 1024 * 1024;
const open = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";
/** More than the system takes from the relay for a client that reads nothing. */
const longBytes = 16 * mebibyte;
const longAnswer = { getOpen: () => ({ status: 200, body: { said: "a".repeat(longBytes) } }) };

/** Asks for the answer and resolves once all of it has come. */
function received(socket: Socket): Promise<void> {
  socket.write(open);
  return new Promise((resolve, reject) => {
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > longBytes) resolve();
    });
    socket.once("close", () => reject(new Error(`closed after ${bytes} bytes`)));
  });
}

test("one address may hold so many connections and no more, whatever others hold", async () => {
  const served = await serveFixture({ config: { connectionsPerIp: 2 } });
  const first = [connectRaw(served.port), connectRaw(served.port)];
  for (const raw of first) {
    raw.write(open);
    expect((await raw.answer()).status).toBe(200);
  }
  await connectRaw(served.port).closed;
  const other = connectRaw(served.port, "127.0.0.2");
  other.write(open);
  expect((await other.answer()).status).toBe(200);

  first[0]?.socket.destroy();
  await expect
    .poll(async () => {
      const raw = connectRaw(served.port);
      raw.write(open);
      return raw.answer().then(
        ({ status }) => status,
        () => "closed",
      );
    })
    .toBe(200);
});

test("connections of a trusted proxy are not counted", async () => {
  const served = await serveFixture({
    config: { connectionsPerIp: 2 },
    trustedProxies: parseTrustedProxies(["127.0.0.1"]),
  });
  for (const raw of Array.from({ length: 4 }, () => connectRaw(served.port))) {
    raw.write(open);
    expect((await raw.answer()).status).toBe(200);
  }
});

test("an answer of which its client takes nothing is closed", async () => {
  const served = await serveFixture({
    answers: longAnswer,
    validateResponses: false,
    config: { answerStallSeconds: 0.5 },
  });
  const raw = connectRaw(served.port);
  raw.socket.pause();
  raw.write(open);
  await expect.poll(() => served.log.filter((line) => line["aborted"] === true).length).toBe(1);
  raw.socket.destroy();
});

test("an answer that is taken little by little is not closed, however long it takes", async () => {
  const served = await serveFixture({
    answers: longAnswer,
    validateResponses: false,
    config: { answerStallSeconds: 3 },
  });
  const socket = connect(served.port, "127.0.0.1");
  const whole = received(socket);
  const reading = setInterval(() => {
    if (socket.isPaused()) socket.resume();
    else socket.pause();
  }, 20);
  await whole;
  clearInterval(reading);
  socket.destroy();
});

test("where more waits to be taken than may, what moves least is closed; who reads has his answer", async () => {
  const served = await serveFixture({
    answers: longAnswer,
    validateResponses: false,
    config: { answersInFlightBytes: 40 * mebibyte },
  });
  const idle = Array.from({ length: 6 }, () => connectRaw(served.port));
  for (const raw of idle) {
    raw.socket.pause();
    raw.write(open);
  }
  const aborted = () => served.log.filter((line) => line["aborted"] === true).length;
  await expect.poll(aborted).toBeGreaterThanOrEqual(4);
  for (const raw of idle) raw.socket.destroy();
  const reader = connect(served.port, "127.0.0.1");
  await received(reader);
  reader.destroy();
});

test("an answer of which its client takes less than the least rate is closed", async () => {
  const served = await serveFixture({
    answers: longAnswer,
    validateResponses: false,
    config: { answerStallSeconds: 0.5, slowestBytesPerSecond: 100 * mebibyte },
  });
  const socket = connect(served.port, "127.0.0.1");
  socket.write(open);
  const reading = setInterval(() => socket.read(), 100);
  await expect.poll(() => served.log.filter((line) => line["aborted"] === true).length).toBe(1);
  clearInterval(reading);
  socket.destroy();
});

test("the last place of a node goes to the newest connection; an older one without a request is closed", async () => {
  const served = await serveFixture({ config: { connectionsPerNode: 3 } });
  const [first, second, third] = Array.from({ length: 3 }, () => connectRaw(served.port));
  await first?.closed;
  for (const raw of [second, third]) {
    raw?.write(open);
    expect((await raw?.answer())?.status).toBe(200);
    raw?.socket.destroy();
  }
});

test("a connection that has shown a token is closed after those of strangers", async () => {
  const served = await serveFixture({ config: { connectionsPerNode: 4 } });
  const known = connectRaw(served.port);
  const body = '{"name":"a"}';
  const ask = (raw: RawConnection): void =>
    raw.write(
      `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer device-1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  ask(known);
  expect((await known.answer()).status).toBe(202);
  const strangers = Array.from({ length: 2 }, () => connectRaw(served.port));
  for (const raw of strangers) {
    raw.write(open);
    expect((await raw.answer()).status).toBe(200);
  }
  const newest = [connectRaw(served.port), connectRaw(served.port)];
  for (const raw of strangers) await raw.closed;
  ask(known);
  expect((await known.answer()).status).toBe(202);
  for (const raw of [known, ...newest]) raw.socket.destroy();
});

test("the connections of an IPv6 /48 are limited together", () => {
  const counts = new NetworkCounts({ limit: 2, siteFactor: 2 });
  const network = (of: number) => networkKey(`2001:db8:1:${of}::1`);
  expect([1, 1, 1].map((of) => counts.enter(network(of)))).toEqual([undefined, undefined, 2]);
  expect([2, 3, 4].map((of) => counts.enter(network(of)))).toEqual([undefined, undefined, 4]);
  expect(counts.enter(networkKey("2001:db8:2::1"))).toBeUndefined();
  counts.leave(network(1));
  expect(counts.enter(network(4))).toBeUndefined();
  expect(["192.0.2.1", "192.0.2.1", "192.0.2.1"].map((ip) => counts.enter(ip))).toEqual([undefined, undefined, 2]);
});
