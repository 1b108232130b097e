import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { connectRaw, type RawAnswer } from "../http/raw.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import {
  createOriginFixture,
  deliver,
  messagesFor,
  type OriginFixture,
  outcomeOf,
  tokenFor,
} from "./origin-fixture.js";

const mebibyte = 1024 * 1024;
const limits = { federationMessagesPerMinute: 4, federationTransactionsPerMinute: 4 };
let fixture: OriginFixture;
let relay: TestRelay;
let admin: TestAdmin;
let recipient: TestDevice;
beforeAll(async () => {
  fixture = await createOriginFixture();
  ({ relay, admin } = await startAdministered({ ...fixture.config, ...limits }));
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await relay.stop();
  await fixture.stop();
});

interface Caller {
  token: string;
  origin: string;
}

async function caller(domain: string): Promise<Caller> {
  return { token: await tokenFor(relay, await fixture.origin(domain)), origin: domain };
}

const give = (from: Caller, count: number, transactionId = randomUUID()) =>
  deliver(relay, { ...from, transactionId, messages: messagesFor(relay, recipient, count) });

/** Begins a delivery with its head. */
function begin(at: TestRelay, { token, origin }: Caller, transactionId: string, lines: readonly string[]) {
  const head = [
    `PUT ${routes.deliverTransaction.path.replace(":transaction_id", transactionId)} HTTP/1.1`,
    "Host: relay.test",
    `Authorization: Bearer ${token}`,
    `X-Origin-Server: ${origin}`,
    "Content-Type: application/json",
    ...lines,
  ];
  const raw = connectRaw(Number(new URL(at.url).port));
  raw.write(`${head.join("\r\n")}\r\n\r\n`);
  return raw;
}

/** The answer to the head of a delivery whose body is not sent. Undefined if the relay waits for the body. */
async function answerToHead(from: Caller, transactionId: string): Promise<RawAnswer | undefined> {
  const raw = begin(relay, from, transactionId, [`Content-Length: ${20 * mebibyte}`, "Expect: 100-continue"]);
  const answer = await raw.answer();
  raw.socket.destroy();
  return answer.status === 100 ? undefined : answer;
}

it("a long body of a peer whose limit is used up is refused before any of it has come", async () => {
  const peer = await caller("spent.example");
  expect(await answerToHead(peer, randomUUID())).toBeUndefined();
  expect(outcomeOf(await give(peer, 4))).toBe("200");
  const answer = await answerToHead(peer, randomUUID());
  expect(answer?.status).toBe(429);
  expect(JSON.parse(answer?.text ?? "")).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: 4 });
  expect(JSON.parse(answer?.text ?? "").reset_at).toBeGreaterThan(relay.clock.nowSeconds());
  expect(answer?.head).toMatch(/^retry-after: \d+$/im);
  relay.clock.advance(61);
  expect(await answerToHead(peer, randomUUID())).toBeUndefined();
});

it("a long body that repeats a known transaction is read", async () => {
  const [peer, transactionId] = [await caller("again.example"), randomUUID()];
  expect(outcomeOf(await give(peer, 4, transactionId))).toBe("200");
  expect(await answerToHead(peer, transactionId)).toBeUndefined();
});

it("a long body of a peer that was blocked since is refused before any of it has come", async () => {
  const peer = await caller("blocked.example");
  const block = { server_domain: peer.origin, reason: "spam" };
  expect((await call(relay, "blockServer", { token: admin.token, body: block })).status).toBe(200);
  const answer = await answerToHead(peer, randomUUID());
  expect([answer?.status, JSON.parse(answer?.text ?? "").error]).toEqual([403, "SERVER_BLOCKED"]);
});

it("a delivery takes as long as its bytes keep arriving, and one that stops may be sent again", async () => {
  const slow = await startRelay({ ...fixture.config, bodyStallSeconds: 3, slowestBytesPerSecond: 1 });
  try {
    const [server, reader] = [await fixture.origin("slow.example"), await newDevice(slow)];
    const from = { token: await tokenFor(slow, server), origin: server.domain };
    const [passing, stopped] = [randomUUID(), randomUUID()];
    const timestamp = slow.clock.nowSeconds();
    const bodyOf = (id: string, messages: readonly object[]) =>
      JSON.stringify({ origin_server: from.origin, transaction_id: id, timestamp, messages });
    const [first, second] = [messagesFor(slow, reader, 1), messagesFor(slow, reader, 1)];

    const body = bodyOf(passing, first);
    const pieces = begin(slow, from, passing, [`Content-Length: ${body.length}`]);
    for (let at = 0; at < 25; at++) {
      pieces.write(body.slice(Math.floor((at * body.length) / 25), Math.floor(((at + 1) * body.length) / 25)));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect((await pieces.answer()).status).toBe(200);

    const half = begin(slow, from, stopped, [`Content-Length: ${bodyOf(stopped, second).length}`]);
    half.write(bodyOf(stopped, second).slice(0, 200));
    const { status, text } = await half.answer();
    expect([status, JSON.parse(text).error]).toEqual([408, "REQUEST_TIMEOUT"]);
    for (const { socket } of [pieces, half]) socket.destroy();
    expect(outcomeOf(await deliver(slow, { ...from, transactionId: stopped, messages: second }))).toBe("200");
    const { messages } = (await reader.poll()).body;
    expect(messages.map(({ message_id: id }) => id)).toEqual([...first, ...second].map(({ message_id: id }) => id));
  } finally {
    await slow.stop();
  }
});
