import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { openDeviceStream } from "../support/stream.js";
import { until } from "../support/until.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";

let fixture: PeerFixture;
let here: PeerRelay;
let there: PeerRelay;
let db: Database;
let sender: TestDevice;
let recipient: TestDevice;
let peer: PeerServer;

const patient = { federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 };
beforeAll(async () => {
  fixture = await createPeerFixture();
  here = await fixture.relay({ ...patient, onlineMessagesPerSend: 10_000 });
  there = await fixture.relay({ ...patient, federationOnlineMessagesPerMinute: 5 });
  db = createDatabase({ url: there.databaseUrl, poolSize: 1 });
});
beforeEach(async () => {
  [sender, recipient] = [await newDevice(here), await newDevice(there)];
  there.clock.advance(61);
  peer = await startPeerServer(fixture);
});
afterEach(() => peer.stop());
afterAll(async () => {
  await db.close();
  await fixture.stop();
});

const drafted = (to: string, seconds?: number) => ({
  ...message(here, to),
  ...(seconds !== undefined && { expires_in_seconds: seconds }),
});
async function send(draft: object): Promise<string> {
  const { body } = demand(await call(here, "sendMessage", { token: sender.token, body: draft }));
  expect(body).toMatchObject({ status: "federated", delivery_estimate: "delayed" });
  return body.message_id;
}
const queued = async () => demand(await recipient.poll()).body.messages.map((one) => one.message_id);
const deliveries = () => peer.asked.filter((path) => path.startsWith("/federation/v1/deliver/"));

describe("a lifetime", () => {
  test("ends a message at the recipient's relay, and other messages stay", async () => {
    const [short, plain] = [await send(drafted(recipient.address, 600)), await send(drafted(recipient.address))];
    await until(async () => (await queued()).length === 2, "both messages arrive");
    expect(await queued()).toEqual([short, plain]);
    there.clock.advance(601);
    expect(await queued()).toEqual([plain]);
  });

  test("is not told to a relay that does not announce lifetimes", async () => {
    const bodies: string[] = [];
    peer.capabilities = {};
    peer.disturb = (request) => {
      request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()));
      return false;
    };
    await send(drafted(`${randomUUID()}@${peer.domain}`, 600));
    await until(async () => deliveries().length > 0 && bodies.length > 0, "the message is delivered");
    expect(bodies.join("")).toContain("sender_signature");
    expect(bodies.join("")).not.toContain("expires_in_seconds");
  });
});

describe("an online-only message for another relay", () => {
  test("reaches an open stream, and neither relay stores it", async () => {
    const stream = await openDeviceStream(there.url, recipient.token);
    expect(await stream.next("status")).toMatchObject({ queue_empty: true });
    const draft = drafted(recipient.address, 0);
    await send(draft);
    const { data } = await stream.next("message");
    expect(data).toMatchObject({
      message_id: draft.message_id,
      mls_ciphertext: draft.mls_ciphertext,
      sender_signature: draft.sender_signature,
      timestamp: draft.timestamp,
      online: true,
    });
    expect(await queued()).toEqual([]);
    for (const relay of [here, there]) {
      const at = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
      const stored = `select message_id from outbox union all select message_id from messages`;
      const ids = (await at.rows<{ message_id: string }>(stored)).map((row) => row.message_id);
      await at.close();
      expect(ids).not.toContain(draft.message_id);
    }
    await stream.close();
  });

  test("is dropped at a relay that does not announce it, and by one that does not answer", async () => {
    peer.capabilities = {};
    await send(drafted(`${randomUUID()}@${peer.domain}`, 0));
    await until(async () => peer.asked.includes(routes.getDiscovery.path), "the peer is looked up");
    there.proxy.open = false;
    await send(drafted(recipient.address, 0));
    there.proxy.open = true;
    expect(peer.asked).not.toContain(routes.pushOnlineMessages.path);
    expect(await queued()).toEqual([]);
  });
});

describe("the operation that takes online-only messages", () => {
  const path = routes.pushOnlineMessages.path;

  test("is asked in the contract's form, with several messages at once while one is on its way", async () => {
    const asked: { origin_server: string; messages: { message_id: string }[] }[] = [];
    peer.capabilities = { federated_lifetimes: true };
    peer.answers.set(path, (body) => {
      asked.push(body as (typeof asked)[number]);
      return { received: true };
    });
    const to = Array.from({ length: 250 }, () => `${randomUUID()}@${peer.domain}`);
    const { recipient_address: _, ...content } = drafted("", 0);
    const body = { ...content, recipients: to };
    const answer = demand(await call(here, "sendMessageToMany", { token: sender.token, body })).body;
    expect(new Set(answer.recipient_statuses.map(({ status }) => status))).toEqual(new Set(["federated"]));
    await until(async () => asked.flatMap((one) => one.messages).length === to.length, "all of them arrive");
    expect(asked.every((one) => one.origin_server === here.domain && one.messages.length <= 100)).toBe(true);
  });

  test("refuses messages above the limit of a minute", async () => {
    const stream = await openDeviceStream(there.url, recipient.token);
    expect(await stream.next("status")).toMatchObject({ queue_empty: true });
    for (let i = 0; i < 5; i++) {
      const id = await send(drafted(recipient.address, 0));
      expect((await stream.next("message")).data.message_id).toBe(id);
    }
    await send(drafted(recipient.address, 0));
    const plain = await send(drafted(recipient.address));
    expect((await stream.next("message")).data.message_id).toBe(plain);
    await stream.close();
  });
});
