import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { connectRaw, type RawAnswer } from "../http/raw.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
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

/** The answer to the head of a delivery whose body is not sent. Undefined if the relay waits for the body. */
async function answerToHead({ token, origin }: Caller, transactionId: string): Promise<RawAnswer | undefined> {
  const lines = [
    `PUT ${routes.deliverTransaction.path.replace(":transaction_id", transactionId)} HTTP/1.1`,
    "Host: relay.test",
    `Authorization: Bearer ${token}`,
    `X-Origin-Server: ${origin}`,
    "Content-Type: application/json",
    `Content-Length: ${20 * mebibyte}`,
    "Expect: 100-continue",
  ];
  const raw = connectRaw(Number(new URL(relay.url).port));
  raw.write(`${lines.join("\r\n")}\r\n\r\n`);
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
