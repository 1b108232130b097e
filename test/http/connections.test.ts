import { expect, test } from "vitest";
import { parseTrustedProxies } from "../../src/platform/ip.js";
import { openDoor } from "./door.js";
import { connectRaw } from "./raw.js";

const mebibyte = 1024 * 1024;
const open = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";
/** More than the system takes from the relay for a client that reads nothing. */
const longAnswer = { getOpen: () => ({ status: 200, body: { said: "a".repeat(32 * mebibyte) } }) };

test("one address may hold so many connections and no more, whatever others hold", async () => {
  const door = await openDoor({ limits: { connectionsPerIp: 2 } });
  const first = [connectRaw(door.port), connectRaw(door.port)];
  for (const raw of first) {
    raw.write(open);
    expect((await raw.answer()).status).toBe(200);
  }
  await connectRaw(door.port).closed;
  const other = connectRaw(door.port, "127.0.0.2");
  other.write(open);
  expect((await other.answer()).status).toBe(200);

  first[0]?.socket.destroy();
  await expect
    .poll(async () => {
      const raw = connectRaw(door.port);
      raw.write(open);
      return raw.answer().then(
        ({ status }) => status,
        () => "closed",
      );
    })
    .toBe(200);
});

test("connections of a trusted proxy are not counted", async () => {
  const door = await openDoor({
    limits: { connectionsPerIp: 2 },
    trustedProxies: parseTrustedProxies(["127.0.0.1"]),
  });
  for (const raw of Array.from({ length: 4 }, () => connectRaw(door.port))) {
    raw.write(open);
    expect((await raw.answer()).status).toBe(200);
  }
});

test("an answer of which its client takes nothing is closed", async () => {
  const door = await openDoor({ answers: longAnswer, validateResponses: false, limits: { answerStallSeconds: 0.5 } });
  const raw = connectRaw(door.port);
  raw.socket.pause();
  raw.write(open);
  await expect.poll(() => door.log.filter((line) => line["aborted"] === true).length, { timeout: 15_000 }).toBe(1);
  raw.socket.destroy();
});

test("an answer that is taken little by little is not closed, however long it takes", async () => {
  const door = await openDoor({ answers: longAnswer, validateResponses: false, limits: { answerStallSeconds: 3 } });
  const raw = connectRaw(door.port);
  raw.write(open);
  const reading = setInterval(() => {
    if (raw.socket.isPaused()) raw.socket.resume();
    else raw.socket.pause();
  }, 50);
  const answer = await raw.answer();
  clearInterval(reading);
  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeGreaterThan(32 * mebibyte);
  raw.socket.destroy();
}, 60_000);

test("where more waits to be taken than may, what moves least is closed; who reads has his answer", async () => {
  const door = await openDoor({
    answers: longAnswer,
    validateResponses: false,
    limits: { answersInFlightBytes: 80 * mebibyte },
  });
  const idle = Array.from({ length: 6 }, () => connectRaw(door.port));
  for (const raw of idle) {
    raw.socket.pause();
    raw.write(open);
  }
  const aborted = () => door.log.filter((line) => line["aborted"] === true).length;
  await expect.poll(aborted, { timeout: 15_000 }).toBeGreaterThanOrEqual(4);
  for (const raw of idle) raw.socket.destroy();
  const reader = connectRaw(door.port);
  reader.write(open);
  expect((await reader.answer()).status).toBe(200);
  reader.socket.destroy();
}, 30_000);
