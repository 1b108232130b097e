import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FixtureDevice } from "../messages/fixture.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { tableOf } from "../support/table.js";
import {
  createOutboxFixture,
  destination,
  eventually,
  isDone,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { answer, createScriptedPeer, holdAttempts, type ScriptedPeer } from "./scripted-peer.js";

type Remote = ReturnType<typeof remote>;

describe("a message to many recipients of another server", () => {
  let fixture: OutboxFixture;
  let from: FixtureDevice;
  let peer: ScriptedPeer;
  let node: OutboxNode;
  let domain: string;
  let count = 0;

  beforeAll(async () => {
    fixture = await createOutboxFixture();
  });
  beforeEach(async () => {
    from = await fixture.mailboxes.device({ custom_limit: 1000 });
    peer = createScriptedPeer();
    peer.shares = true;
    domain = `peer${count++}.test`;
  });
  afterEach(async () => {
    await node.stop();
    await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
  });
  afterAll(() => fixture.stop());

  const start = async (config = {}) => {
    node = await fixture.node({ calls: peer, config });
  };
  const recipients = (number: number, at = domain) => Array.from({ length: number }, () => remote(at));
  const sendToMany = (to: readonly { address: string }[], { bytes = 1000, allOrNothing = false } = {}) => {
    const { messageId, senderSignature, timestamp } = fixture.mailboxes.envelope(from);
    return node.mailbox.sendToMany(from.deviceId, {
      ...{ messageId, senderSignature, timestamp, systemEvent: null, allOrNothing },
      recipients: to.map(({ address }) => address),
      mlsCiphertext: randomBytes(bytes).toString("base64"),
    });
  };
  const done = (at = domain) => eventually(() => isDone(fixture.mailboxes, at));
  /** How many ciphertexts came with each transaction. */
  const carried = () =>
    peer.attempts.map(({ body }) => {
      const { messages } = JSON.parse(body.toString()) as { messages: { mls_ciphertext?: string }[] };
      return messages.filter((one) => one.mls_ciphertext !== undefined).length;
    });
  const arrivedAt = () => peer.arrived.map((one) => one.recipient_address);

  it("arrives at each with one ciphertext for a transaction, and larger groups fit into one", async () => {
    await start({ outboxTransactionBytes: 75_000 });
    const to = recipients(130);
    const sent = await sendToMany(to, { bytes: 50_000 });
    expect(sent.recipients.every((one) => "status" in one && one.status === "federated")).toBe(true);
    await done();
    expect(arrivedAt()).toEqual(to.map(({ address }) => address));
    expect(new Set(peer.arrived.map((one) => one.mls_ciphertext)).size).toBe(1);
    expect(peer.attempts.map(({ messages }) => messages.length)).toEqual([100, 30]);
    expect(carried()).toEqual([1, 1]);
    expect(await destination(fixture.mailboxes, domain)).toMatchObject({ messages: 0, bytes: 0, rows: 0 });
  });

  it("arrives at each with one ciphertext for a transaction if it was stored in parts", async () => {
    await start({ outboxTransactionsInFlight: 1 });
    const held = holdAttempts(peer);
    // In parts of two.
    const to = recipients(9);
    const sent = await sendToMany(to, { bytes: 4 * 1024 * 1024 });
    expect(sent.recipients.every((one) => "status" in one && one.status === "federated")).toBe(true);
    peer.behave = (_, take) => take();
    for (const letGo of held.splice(0)) letGo();
    await done();
    expect(arrivedAt().sort()).toEqual(to.map(({ address }) => address).sort());
    expect(new Set(peer.arrived.map((one) => one.mls_ciphertext)).size).toBe(1);
    expect(carried()).toEqual(carried().map(() => 1));
    // What waited while the first transaction was on its way went together.
    expect(carried().length).toBeLessThanOrEqual(2);
  });

  it("arrives at each with a ciphertext, id and signature of its own if its copies differ", async () => {
    await start();
    const messages = recipients(30).map(({ address }) => {
      const { messageId, senderSignature, timestamp } = fixture.mailboxes.envelope(from);
      const mlsCiphertext = randomBytes(1000).toString("base64");
      return { messageId, senderSignature, timestamp, systemEvent: null, recipientAddress: address, mlsCiphertext };
    });
    await node.mailbox.sendBatch(from.deviceId, { messages, oneMessage: true });
    await done();
    expect(peer.arrived.map((one) => [one.message_id, one.recipient_address, one.mls_ciphertext])).toEqual(
      messages.map((one) => [one.messageId, one.recipientAddress, one.mlsCiphertext]),
    );
    expect(peer.attempts.some(({ body }) => body.includes("ciphertext_from"))).toBe(false);
  });

  it("goes with a copy for each to a peer that does not take shared ciphertexts, and names none there", async () => {
    peer.shares = false;
    await start({ outboxTransactionBytes: 30_000 });
    const to = recipients(12);
    await sendToMany(to, { bytes: 10_000 });
    await done();
    expect(arrivedAt()).toEqual(to.map(({ address }) => address));
    expect(carried()).toEqual([3, 3, 3, 3]);
    expect(peer.attempts.some(({ body }) => body.includes("ciphertext_from"))).toBe(false);
  });

  it("is sent again with copies if the peer turns out not to take what its document said", async () => {
    await start();
    peer.behave = ({ body }, take) =>
      body.includes("ciphertext_from") ? answer(400, { error: "INVALID_REQUEST", code: 4000 }) : take();
    const to = recipients(5);
    await sendToMany(to);
    await done();
    expect(arrivedAt()).toEqual(to.map(({ address }) => address));
    expect(carried()).toEqual([1, 5]);
  });

  it("keeps its place among other messages, in the order in which they were accepted", async () => {
    await start();
    let goOn = (): void => undefined;
    const allAccepted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    peer.behave = async (_, take) => {
      await allAccepted;
      return take();
    };
    const [anna, ben, cleo] = recipients(3) as [Remote, Remote, Remote];
    const single = (to: Remote) => sendTo(node, fixture.mailboxes, { from, recipients: [to] });
    const ids = [
      (await single(anna)).ids[0],
      (await sendToMany([anna, ben, cleo])).messageId,
      (await single(ben)).ids[0],
      (await sendToMany([cleo, anna])).messageId,
      (await single(anna)).ids[0],
      (await single(cleo)).ids[0],
    ] as string[];
    goOn();
    await done();
    const [one, two, three, four, five, six] = ids;
    const of = ({ address }: Remote) =>
      peer.arrived.filter((arrived) => arrived.recipient_address === address).map((arrived) => arrived.message_id);
    expect([of(anna), of(ben), of(cleo)]).toEqual([
      [one, two, four, five],
      [two, three],
      [two, four, six],
    ]);
  });

  it("goes on to the others if one recipient's server refuses it for now", async () => {
    peer.namesRecipients = true;
    await start({ outboxMinBackoffSeconds: 1, outboxMaxBackoffSeconds: 1 });
    const to = recipients(4);
    // The first one, which carries the ciphertext.
    peer.refusals.set(to[0]?.address ?? "", "QUEUE_FULL");
    await sendToMany(to);
    await eventually(() => peer.arrived.length === 3);
    peer.refusals.clear();
    fixture.mailboxes.clock.advance(3600);
    await done();
    expect(new Set(arrivedAt())).toEqual(new Set(to.map(({ address }) => address)));
    expect(new Set(peer.arrived.map((one) => one.mls_ciphertext)).size).toBe(1);
  });

  it("is refused whole, with its recipients here, if the outbox of one server is full", async () => {
    await start({ outboxUnreachedMessages: 3, outboxMessagesPerDestination: 3 });
    peer.behave = () => answer(503, {});
    const here = await fixture.mailboxes.device();
    const to = [{ address: `${here.prefix}@relay.test` }, ...recipients(2, `also-${domain}`), ...recipients(4)];
    await expect(sendToMany(to, { allOrNothing: true })).rejects.toMatchObject({
      id: "QUEUE_FULL",
      extras: { details: [{ path: "body/recipients/6" }] },
    });
    expect(await tableOf(fixture.mailboxes.db, "outbox").select("position")).toEqual([]);
    expect((await node.mailbox.poll(here.deviceId, { limit: 10 })).messages).toEqual([]);
    const { recipients: results } = await sendToMany(to.slice(0, 6), { allOrNothing: true });
    expect(results.map((one) => "status" in one && one.status)).toEqual(["queued", ...Array(5).fill("federated")]);
    expect((await node.mailbox.poll(here.deviceId, { limit: 10 })).messages).toHaveLength(1);
  });
});

describe("between two relays", () => {
  let fixture: PeerFixture;
  let here: PeerRelay;
  let there: PeerRelay;
  let sender: TestDevice;
  const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };

  beforeAll(async () => {
    fixture = await createPeerFixture();
    [here, there] = [await fixture.relay({ seeds }), await fixture.relay({ seeds })];
    sender = await newDevice(here);
  });
  afterAll(() => fixture.stop());

  it("a message to many crosses once, and each recipient gets it as from a single message", async () => {
    const near = await newDevice(here);
    const far: TestDevice[] = [];
    for (let i = 0; i < 20; i++) far.push(await newDevice(there));
    const { recipient_address: _, ...content } = message(here, "", {
      ciphertext: new Uint8Array(randomBytes(100_000)),
      systemEvent: { event: "epoch_change" },
    });
    const nowhere = `${"0".repeat(32)}@${there.domain}`;
    const recipients = [near.address, nowhere, ...far.map(({ address }) => address)];
    const askedBefore = there.proxy.asked();
    for (let i = 0; i < 2; i++) {
      const { body } = demand(
        await call(here, "sendMessageToMany", { token: sender.token, body: { ...content, recipients } }),
      );
      expect(body.recipient_statuses.map(({ status }) => status)).toEqual([
        "queued",
        ...Array.from({ length: 21 }, () => "federated"),
      ]);
    }
    for (const device of [near, ...far]) {
      const queue = async () => demand(await device.poll()).body.messages;
      await eventually(async () => (await queue()).length > 0);
      expect(await queue()).toEqual([
        {
          message_id: content.message_id,
          mls_ciphertext: content.mls_ciphertext,
          sender_signature: content.sender_signature,
          timestamp: content.timestamp,
          received_at: expect.any(Number),
          system_event: { event: "epoch_change", extension_type: null },
        },
      ]);
    }
    // The ciphertext once, in base64, and not twenty times.
    expect(there.proxy.asked() - askedBefore).toBeLessThan(2 * content.mls_ciphertext.length);
  });

  it("a message to many that is more than the other relay takes at once reaches all of its recipients", async () => {
    const narrow = await fixture.relay({ seeds, federationDeliveryBytes: 1024 * 1024 });
    const far: TestDevice[] = [];
    for (let i = 0; i < 15; i++) far.push(await newDevice(narrow));
    const { recipient_address: _, ...content } = message(here, "", {
      ciphertext: new Uint8Array(randomBytes(100_000)),
    });
    const recipients = far.map(({ address }) => address);
    demand(await call(here, "sendMessageToMany", { token: sender.token, body: { ...content, recipients } }));
    for (const device of far) {
      const ids = async () => demand(await device.poll()).body.messages.map(({ message_id }) => message_id);
      await eventually(async () => (await ids()).length > 0);
      expect(await ids()).toEqual([content.message_id]);
    }
  });
});
