import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { AnyRow } from "../support/any-row.js";
import { isDistributed } from "../support/backends.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import {
  createOriginFixture,
  deliver,
  messagesFor,
  type Origin,
  type OriginFixture,
  outcomeOf,
  tokenFor,
} from "./origin-fixture.js";

let fixture: OriginFixture;
let relay: TestRelay;
/** A relay with little room, in two nodes. */
let narrow: TestRelay;
let second: TestRelay;
let origin: Origin;
let token: string;
let recipient: TestDevice;
let servers = 0;

const plenty = { federationMessagesPerMinute: 1_000_000, federationTransactionsPerMinute: 1_000_000 };
const few = { federationMessagesPerMinute: 40, federationTransactionsPerMinute: 8 };
const small = { SEED_SERVER_MAX_MESSAGE_SIZE: "2048", SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "100" };

beforeAll(async () => {
  fixture = await createOriginFixture();
  relay = await startRelay({ ...fixture.config, ...plenty });
  narrow = await startRelay({ ...fixture.config, ...few, seeds: small });
  second = await startRelay(narrow.config, { clock: narrow.clock });
  origin = await fixture.origin("peer.example");
  token = await tokenFor(relay, origin);
});
beforeEach(async () => {
  recipient = await newDevice(relay);
});
afterAll(async () => {
  await second.stop();
  await narrow.stop();
  await relay.stop();
  await fixture.stop();
});

const send = (messages: readonly unknown[], different: object = {}) =>
  deliver(relay, { token, origin: origin.domain, messages, ...different });
const queued = async (device = recipient) => demand(await device.poll({ limit: 1000 })).body.messages;
/** A server that has not been here before, with a token for the narrow relay. */
const newcomer = async (domain = `server${servers++}.example`) => {
  const server = await fixture.origin(domain);
  return { token: await tokenFor(narrow, server), origin: domain };
};
const idsOf = (messages: readonly { message_id: string }[]) => messages.map(({ message_id: id }) => id);

describe("a transaction", () => {
  it("is queued in its order and answered with the ids", async () => {
    const messages = messagesFor(relay, recipient, 20);
    const transactionId = randomUUID();
    const { status, body } = await send(messages, { transactionId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ transaction_id: transactionId, status: "accepted", rejected_messages: [] });
    expect(body.accepted_messages).toEqual(idsOf(messages));
    expect(idsOf(await queued())).toEqual(idsOf(messages));
  });

  // Of several machines, each numbers transactions by itself.
  it.skipIf(isDistributed)("is answered for good by the commit that queues its messages", async () => {
    const [messages, transactionId] = [messagesFor(relay, recipient, 3), randomUUID()];
    await send(messages, { transactionId });
    const db = createDatabase({ url: relay.config.databaseUrl ?? "", poolSize: 1 });
    const commits = await db.rows<AnyRow>(
      `select xmin::text from federation_transactions where transaction_id = :transactionId and answer is not null
       union
       select xmin::text from messages where message_id = any(:ids::uuid[])`,
      { transactionId, ids: idsOf(messages) },
    );
    await db.close();
    expect(commits).toHaveLength(1);
  });

  it("passes on ciphertext, signature, time and hint unchanged, and accepts unknown members", async () => {
    const sent = { ...message(relay, recipient.address), system_event: { event: "member_added" } };
    expect((await send([{ ...sent, novelty: [1] }], { body: { novelty: {} } })).body.status).toBe("accepted");
    const [got] = await queued();
    expect(got).toMatchObject({
      message_id: sent.message_id,
      mls_ciphertext: sent.mls_ciphertext,
      sender_signature: sent.sender_signature,
      timestamp: sent.timestamp,
      system_event: { event: "member_added", extension_type: null },
    });
  });

  it("is partial if some messages are not acceptable, and gives the reason for each", async () => {
    const good = message(relay, recipient.address);
    const bad = [
      { change: { recipient_address: `${randomUUID()}@relay.test` }, error: "ADDRESS_NOT_FOUND", code: 4003 },
      {
        change: { recipient_address: recipient.address.replace("relay.test", "other.example") },
        error: "ADDRESS_NOT_FOUND",
        code: 4003,
      },
      { change: { recipient_address: "nobody" }, error: "INVALID_ADDRESS", code: 4005 },
      { change: { message_id: "a\u0000" }, error: "INVALID_REQUEST", code: 4000 },
      { change: { recipient_address: "\ud800@relay.test" }, error: "INVALID_ADDRESS", code: 4005 },
      { change: { message_id: randomUUID() }, error: "INVALID_REQUEST", code: 4000 },
      { change: { mls_ciphertext: "" }, error: "INVALID_REQUEST", code: 4000 },
      { change: { mls_ciphertext: "a b=" }, error: "INVALID_REQUEST", code: 4000 },
      { change: { sender_signature: "" }, error: "INVALID_REQUEST", code: 4000 },
      { change: { timestamp: -1 }, error: "INVALID_REQUEST", code: 4000 },
      { change: { timestamp: "now" }, error: "INVALID_REQUEST", code: 4000 },
      { change: { timestamp: undefined }, error: "INVALID_REQUEST", code: 4000 },
      { change: { sender_signature: undefined }, error: "INVALID_REQUEST", code: 4000 },
      { change: { mls_ciphertext: null }, error: "INVALID_REQUEST", code: 4000 },
      { change: { message_id: "x".repeat(1001) }, error: "INVALID_REQUEST", code: 4000 },
      { change: { system_event: { event: "nothing" } }, error: "INVALID_REQUEST", code: 4000 },
    ];
    const { body } = await send([
      good,
      ...bad.map(({ change }) => ({ ...message(relay, recipient.address), ...change })),
    ]);
    expect(body).toMatchObject({ status: "partial", accepted_messages: [good.message_id] });
    expect(body.rejected_messages.map(({ error, code }) => ({ error, code }))).toEqual(
      bad.map(({ error, code }) => ({ error, code })),
    );
    expect(idsOf(await queued())).toEqual([good.message_id]);
  });

  it("is rejected if no message is acceptable", async () => {
    const { status, body } = await send([message(relay, `${randomUUID()}@relay.test`)]);
    expect([status, body.status, body.accepted_messages]).toEqual([200, "rejected", []]);
  });

  it("rejects a message that is too large alone", async () => {
    const stranger = await newcomer();
    const device = await newDevice(narrow);
    const messages = [2048, 2049].map((bytes) =>
      message(narrow, device.address, { ciphertext: new Uint8Array(bytes) }),
    );
    const { body } = await deliver(narrow, { ...stranger, messages });
    expect(body.rejected_messages).toMatchObject([{ error: "MESSAGE_TOO_LARGE", code: 4015 }]);
    expect(idsOf(await queued(device))).toEqual(body.accepted_messages);
  });

  it("rejects messages that do not fit into the queue", async () => {
    const device = await newDevice(narrow);
    const answers = [];
    for (const count of [40, 40, 23]) {
      answers.push(
        (await deliver(narrow, { ...(await newcomer()), messages: messagesFor(narrow, device, count) })).body,
      );
    }
    expect(answers.map(({ status }) => status)).toEqual(["accepted", "accepted", "partial"]);
    expect(answers[2]?.rejected_messages.map(({ error }) => error)).toEqual(["QUEUE_FULL", "QUEUE_FULL", "QUEUE_FULL"]);
  });
});

describe("a request", () => {
  it.each(["PEER.example", "peer.example.", "Peer.Example."])("may spell its server as %s", async (header) => {
    const messages = messagesFor(relay, recipient, 1);
    expect(outcomeOf(await send(messages, { header, origin: "peer.example." }))).toBe("200");
    expect(idsOf(await queued())).toEqual(idsOf(messages));
  });

  it("whose header, body and path disagree is refused, and changes nothing", async () => {
    const messages = messagesFor(relay, recipient, 1);
    expect(outcomeOf(await send(messages, { header: "other.example" }))).toBe("400 INVALID_REQUEST");
    expect(outcomeOf(await send(messages, { pathId: randomUUID() }))).toBe("400 INVALID_REQUEST");
    expect(outcomeOf(await send(messages, { pathId: "1" }))).toBe("400 INVALID_REQUEST");
    const other = { origin: "other.example" };
    expect(outcomeOf(await send(messages, other))).toBe("401 INVALID_TOKEN");
    expect(outcomeOf(await send(messages, { token: "x.y.z" }))).toBe("401 INVALID_TOKEN");
    expect(await queued()).toEqual([]);
  });

  it.each([
    ["without messages", { messages: [] }],
    ["with too many messages", { messages: Array.from({ length: 1001 }, () => ({})) }],
    ["with messages that are no list", { messages: {} }],
    ["with a tag that is none", { messages: [{ dedup_tag: 1 }] }],
    ["whose transaction id is no UUIDv4", { transaction_id: "0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e" }],
    ["without a time", { timestamp: undefined }],
  ])("%s is refused", async (_, body) => {
    expect(outcomeOf(await send(messagesFor(relay, recipient, 1), { body }))).toBe("400 INVALID_REQUEST");
    expect(await queued()).toEqual([]);
  });

  it("may be of any time", async () => {
    expect(outcomeOf(await send(messagesFor(relay, recipient, 1), { body: { timestamp: 0 } }))).toBe("200");
  });
});

describe("a repetition", () => {
  it("of a transaction gets the first answer and is not processed", async () => {
    const [transactionId, messages] = [randomUUID(), messagesFor(relay, recipient, 3)];
    const first = await send(messages, { transactionId });
    await recipient.ack(idsOf(messages));
    relay.clock.advance(30);
    const spelled = transactionId.toUpperCase();
    const again = await send(messages, { transactionId: spelled });
    expect(again.body).toEqual({ ...first.body, transaction_id: spelled });
    expect(await queued()).toEqual([]);
  });

  it("gets the rejections of the first answer, even if its messages would be accepted now", async () => {
    const transactionId = randomUUID();
    const messages = [message(relay, `${"7".repeat(32)}@relay.test`)];
    const first = await send(messages, { transactionId });
    expect(first.body.status).toBe("rejected");
    expect((await send(messages, { transactionId })).body).toEqual(first.body);
  });

  it("with fewer or changed messages gets the first answer, and is a conflict if that names one of them not", async () => {
    const transactionId = randomUUID();
    const messages = messagesFor(relay, recipient, 2);
    const { body } = await send(messages, { transactionId });
    const changed = messages.map((one) => ({ ...one, timestamp: one.timestamp - 1 }));
    for (const other of [messages.slice(1), [...messages].reverse(), changed]) {
      expect((await send(other, { transactionId })).body).toEqual(body);
    }
    const [one] = messages as [(typeof messages)[number]];
    const others = [messagesFor(relay, recipient, 1), [one, ...messages], [...messages, {}]];
    for (const other of others) expect(outcomeOf(await send(other, { transactionId }))).toBe("409 CONFLICT");
    expect(idsOf(await queued())).toEqual(idsOf(messages));
  });

  it("by another server under the same id is another transaction", async () => {
    const other = await fixture.origin("second.example");
    const transactionId = randomUUID();
    const [mine, theirs] = [messagesFor(relay, recipient, 1), messagesFor(relay, recipient, 1)];
    await send(mine, { transactionId });
    const answer = await deliver(relay, {
      token: await tokenFor(relay, other),
      ...{ origin: other.domain, messages: theirs, transactionId },
    });
    expect(answer.body.accepted_messages).toEqual(idsOf(theirs));
  });

  it("beyond the hour is recognised message by message, for as long as messages are kept", async () => {
    const [transactionId, messages] = [randomUUID(), messagesFor(relay, recipient, 2)];
    const tagged = messages.map((one, i) => ({ ...one, dedup_tag: `${i}`.repeat(32) }));
    const own = { ...tagged[0], message_id: message(relay, recipient.address).message_id, dedup_tag: "f".repeat(32) };
    await send(tagged, { transactionId });
    relay.clock.advance(3_700);
    token = await tokenFor(relay, origin);
    await recipient.announce();
    const again = await send([...tagged, own], { transactionId });
    expect(again.body.status).toBe("accepted");
    expect(idsOf(await queued())).toEqual([...idsOf(messages), own.message_id]);
  });

  it("of a message without a tag is recognised by its bytes", async () => {
    const [one] = messagesFor(relay, recipient, 1);
    const other = { ...one, mls_ciphertext: Buffer.from("another").toString("base64") };
    for (const sent of [one, one, other]) expect((await send([sent])).body.status).toBe("accepted");
    expect(await queued()).toHaveLength(2);
  });
});

describe("copies that arrive at once on two nodes", () => {
  it("are processed once and get the same answer", async () => {
    const [device, stranger] = [await newDevice(narrow), await newcomer()];
    const [transactionId, messages] = [randomUUID(), messagesFor(narrow, device, 40)];
    const copies = Array.from({ length: 8 }, (_, i) =>
      deliver(i % 2 ? second : narrow, { ...stranger, messages, transactionId }),
    );
    const answers = await Promise.all(copies);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]?.body);
    }
    expect(idsOf(await queued(device))).toEqual(idsOf(messages));
  });
});

describe("the limits", () => {
  it("of messages and of transactions hold for a minute, on all nodes together", async () => {
    const [device, stranger] = [await newDevice(narrow), await newcomer()];
    const give = (count: number, at = narrow) =>
      deliver(at, { ...stranger, messages: messagesFor(narrow, device, count) });
    expect(outcomeOf(await give(41))).toBe("429 RATE_LIMIT_EXCEEDED");
    const given = await give(30);
    expect(outcomeOf(given)).toBe("200");
    expect(limitsOf(given)).toMatchObject({
      federation_messages: { limit: 40, remaining: 10, windowSeconds: 60 },
      federation_transactions: { remaining: 7 },
    });
    const beyond = await give(11, second);
    expect(outcomeOf(beyond)).toBe("429 RATE_LIMIT_EXCEEDED");
    expect(limitsOf(beyond)).toMatchObject({
      federation_messages: { remaining: 10 },
      federation_transactions: { remaining: 7 },
    });
    expect(outcomeOf(await give(10, second))).toBe("200");
    const exceeded = await give(1);
    expect(exceeded.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: 40 });
    expect(Number(exceeded.headers.get("retry-after"))).toBeGreaterThan(0);
    narrow.clock.advance(61);
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, i) => give(1, i % 2 ? second : narrow)));
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(await queued(device)).toHaveLength(48);
  });

  it("are shared by the servers of a registrable domain only", async () => {
    const device = await newDevice(narrow);
    const from = async (domain: string, count: number) =>
      outcomeOf(await deliver(narrow, { ...(await newcomer(domain)), messages: messagesFor(narrow, device, count) }));
    expect(await from("a.shared.co.uk", 40)).toBe("200");
    expect(await from("b.shared.co.uk:8443", 1)).toBe("429 RATE_LIMIT_EXCEEDED");
    expect(await from("other.co.uk", 40)).toBe("200");
  });

  it("are not touched by repetitions, and a refused transaction can be sent again", async () => {
    const [device, stranger] = [await newDevice(narrow), await newcomer()];
    const draft = () => ({ ...stranger, transactionId: randomUUID(), messages: messagesFor(narrow, device, 30) });
    const [first, next] = [draft(), draft()];
    for (const _ of [1, 2, 3]) expect(outcomeOf(await deliver(narrow, first))).toBe("200");
    expect(outcomeOf(await deliver(narrow, next))).toBe("429 RATE_LIMIT_EXCEEDED");
    narrow.clock.advance(61);
    expect(outcomeOf(await deliver(narrow, next))).toBe("200");
    expect(await queued(device)).toHaveLength(60);
  });
});
