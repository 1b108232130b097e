import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { readBacklogs } from "../../src/federation/outbox/store.js";
import type { PeerAnswer } from "../../src/federation/peers/types.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventually } from "./outbox-fixture.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";
import { type Arrived, type Attempt, answer, broken } from "./scripted-peer.js";

// Peers that were written from the specification alone, and read it in their own way. What was accepted here is in the end
// delivered, rejected by name, or waiting.

let fixture: PeerFixture;
let relay: PeerRelay;
let db: Database;
let peer: PeerServer;
let sender: TestDevice;
let sent: { id: string; to: string }[];
let rejectedBefore: number;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay({
    ...{ metricsPort: 0, settingsRefreshMillis: 50, outboxLingerMillis: 5, outboxMaxBackoffSeconds: 3600 },
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
beforeEach(async () => {
  peer = await startPeerServer(fixture);
  sender = await newDevice(relay);
  sent = [];
  rejectedBefore = await rejectedInAll();
});
afterEach(async () => {
  const empty = () => db.run("truncate outbox, outbox_destinations, outbox_holds, outbox_transactions");
  // The relay may be in the middle of a delivery, and lock the tables in another order.
  await until(() => empty().then(() => true, falseIfDeadlock), "the outbox is emptied");
  await peer.stop();
});
afterAll(async () => {
  await db.close();
  await fixture.stop();
});

function falseIfDeadlock(error: unknown): false {
  if ((error as { code?: string }).code !== "40P01") throw error;
  return false;
}

const take = (_: unknown, process: () => PeerAnswer) => process();
const recipients = (count: number) => Array.from({ length: count }, () => `${randomUUID()}@${peer.domain}`);

/** Sends messages, one after the other, to each of the recipients in turn. */
async function send(to: readonly string[], count = to.length): Promise<void> {
  for (let i = 0; i < count; i++) {
    const recipient = to[i % to.length] as string;
    const { body } = demand(await sender.send(recipient, { systemEvent: { event: "member_added" } }));
    expect(body.status).toBe("federated");
    sent.push({ id: body.message_id, to: recipient });
  }
}

const destination = async () =>
  await db.one<{ messages: number; lease_node: string | null; next_attempt_millis: number | null }>(
    "select * from outbox_destinations where domain = :domain::text",
    { domain: peer.domain },
  );

/** Waits until nothing is due. */
const settled = () =>
  eventually(async () => {
    const found = await destination();
    if (found === undefined || found.lease_node !== null) return false;
    return found.next_attempt_millis === null || found.next_attempt_millis > relay.clock.nowMillis();
  });

/** Lets time pass, and everything that is due in it. */
async function pass(...steps: number[]): Promise<void> {
  for (const seconds of steps) {
    relay.clock.advance(seconds);
    await settled();
  }
}
const almostAnHour = [2, 2, 2, 1500, 2000];

const problem = async () => (await readBacklogs(db, 10)).find(({ domain }) => domain === peer.domain)?.problem;

async function rejectedInAll(): Promise<number> {
  const text = await (await fetch(relay.metricsUrl as string)).text();
  return Number(/^svc_federated_deliveries_failed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

/** What was accepted here: each message is delivered, rejected by name, or waits. One that waits may have been delivered. */
async function ledger() {
  const delivered = new Set(peer.script.arrived.map(({ message_id }) => message_id));
  const rejected = (await rejectedInAll()) - rejectedBefore;
  const left = await db.rows<{ message_id: string }>("select message_id from outbox where domain = :domain::text", {
    domain: peer.domain,
  });
  const kept = new Set([...delivered, ...left.map(({ message_id }) => message_id)]);
  const lost = sent.filter(({ id }) => !kept.has(id)).length - rejected;
  return { delivered: delivered.size, rejected, waiting: left.length, lost };
}

/** The messages of each recipient arrived in the order in which they were sent. */
function expectOrder(): void {
  const arrived = peer.script.arrived.map(({ message_id }) => message_id);
  for (const recipient of new Set(sent.map(({ to }) => to))) {
    const wanted = sent.filter(({ to, id }) => to === recipient && arrived.includes(id)).map(({ id }) => id);
    expect(arrived.filter((id) => wanted.includes(id))).toEqual(wanted);
  }
}

const messagesOf = ({ body }: Pick<Attempt, "body">) => JSON.parse(body.toString()) as { messages: object[] };

describe("a peer that takes what the specification names", () => {
  const members = ["message_id", "mls_ciphertext", "recipient_address", "sender_signature", "timestamp"];
  const isClosed = (attempt: Attempt) =>
    !attempt.attached &&
    messagesOf(attempt).messages.every((one) => String(Object.keys(one).sort()) === String(members));

  it("gets exactly that, whatever the message was sent with", async () => {
    peer.script.behave = (attempt, process) =>
      isClosed(attempt) ? process() : answer(400, { error: "UNKNOWN_MEMBER", message: "dedup_tag is not allowed" });
    const to = recipients(5);
    await send(to);
    const { message_id: id, ...draft } = message(relay, "");
    const { recipient_address: _, ...body } = { ...draft, message_id: id, recipients: to };
    demand(await call(relay, "sendMessageToMany", { token: sender.token, body }));
    sent.push({ id, to: to[0] as string });
    await eventually(() => peer.script.arrived.length === 10);
    await settled();
    expect(peer.script.attempts.every(isClosed)).toBe(true);
    expect(await ledger()).toEqual({ delivered: 6, rejected: 0, waiting: 0, lost: 0 });
  });

  it("gets exactly that too if its document promises more than it takes", async () => {
    const announced = ["shared_ciphertexts", "attached_ciphertexts", "dedup_tags", "system_events"];
    peer.capabilities = Object.fromEntries(announced.map((name) => [name, true]));
    peer.script.behave = (attempt, process) => (isClosed(attempt) ? process() : answer(415, ""));
    await send(recipients(5));
    await settled();
    expect(peer.script.attempts.some((attempt) => !isClosed(attempt))).toBe(true);
    expect(await ledger()).toEqual({ delivered: 5, rejected: 0, waiting: 0, lost: 0 });
  });

  it("gets tags and events if its document announces them", async () => {
    peer.capabilities = { dedup_tags: true, system_events: true };
    await send(recipients(1));
    await settled();
    const [first] = peer.script.arrived as [Arrived];
    expect(first).toMatchObject({ dedup_tag: expect.any(String), system_event: { event: "member_added" } });
  });
});

describe("a peer that refuses a transaction as a whole", () => {
  it("once, in the middle of healthy traffic, loses nothing", async () => {
    const to = recipients(4);
    await send(to, 6);
    await settled();
    let refusals = 1;
    peer.script.behave = (_, process) => (refusals-- > 0 ? answer(400, { error: "BAD_DAY", code: 4000 }) : process());
    await send(to, 6);
    await pass(...almostAnHour);
    expect(await ledger()).toEqual({ delivered: 12, rejected: 0, waiting: 0, lost: 0 });
    expectOrder();
  });

  it("gets each message once, if it has stored the transaction and its answer was lost", async () => {
    peer.capabilities = { dedup_tags: true };
    const to = recipients(1);
    await send(to);
    await settled();
    let attempts = 0;
    peer.script.behave = (_, process) => {
      attempts += 1;
      if (attempts === 2) return answer(400, { error: "BAD_DAY", code: 4000 });
      const receipt = process();
      return attempts === 1 ? broken() : receipt;
    };
    await send(to);
    await pass(...almostAnHour);
    expect(attempts).toBe(3);
    expect(peer.script.arrived.map(({ message_id }) => message_id)).toEqual(sent.map(({ id }) => id));
    expect(await ledger()).toEqual({ delivered: 2, rejected: 0, waiting: 0, lost: 0 });
  });

  it("gets each of several messages once, if their answer was lost and repetitions are refused at times", async () => {
    peer.capabilities = { dedup_tags: true, system_events: true };
    let refusals = 6;
    peer.script.behave = (_, process) => {
      process();
      return broken();
    };
    await send(recipients(6));
    await settled();
    peer.script.behave = (_, process) => (refusals-- > 0 ? answer(400, { error: "BAD_DAY", code: 4000 }) : process());
    await pass(...almostAnHour);
    expect(refusals).toBeLessThan(0);
    const ids = peer.script.arrived.map(({ message_id }) => message_id);
    expect(ids.toSorted()).toEqual(sent.map(({ id }) => id).toSorted());
    expect(await ledger()).toEqual({ delivered: 6, rejected: 0, waiting: 0, lost: 0 });
  });

  it("because of the tags that it announces gets everything, also if it did not answer before", async () => {
    peer.capabilities = { dedup_tags: true };
    peer.script.behave = () => broken();
    await send(recipients(5), 12);
    await settled();
    const hasTags = ({ messages }: Attempt) => messages.some((one) => one.dedup_tag !== undefined);
    peer.script.behave = (attempt, process) =>
      hasTags(attempt) ? answer(400, { error: "UNKNOWN_MEMBER", code: 4000 }) : process();
    await pass(...almostAnHour, 3600, 3600, 3600, 3600, 3600, 3600);
    expect(await ledger()).toEqual({ delivered: 12, rejected: 0, waiting: 0, lost: 0 });
    expectOrder();
  });

  it.each([
    [413, "MESSAGE_TOO_LARGE", 4015],
    [400, "INVALID_SIGNATURE", 4001],
  ])("by %i %s because of one message gets all others, and that one when it takes it", async (status, error, code) => {
    const to = recipients(5);
    peer.script.behave = ({ messages }, process) =>
      messages.some((one) => one.recipient_address === to[0]) ? answer(status, { error, code }) : process();
    await send(to, 15);
    await settled();
    expect(await ledger()).toEqual({ delivered: 12, rejected: 0, waiting: 3, lost: 0 });
    await expect.poll(problem).toBe(`refused ${status} ${error}`);
    await pass(...almostAnHour, 3600, 3600);
    await send(to, 5);
    await settled();
    expect(await ledger()).toEqual({ delivered: 16, rejected: 0, waiting: 4, lost: 0 });
    peer.script.behave = take;
    await pass(3600, 3600);
    expect(await ledger()).toEqual({ delivered: 20, rejected: 0, waiting: 0, lost: 0 });
    expect(await problem()).toBeUndefined();
    expectOrder();
  });

  it("whatever it contains is asked less and less often, and gets everything once it takes it", async () => {
    // A text that is no name could be meant for an operator's terminal.
    const error = "\u001b[2Jall is well";
    peer.script.behave = () => answer(422, { error, detail: "strict" });
    await send(recipients(10), 40);
    await pass(...almostAnHour, 3600, 3600, 3600);
    expect(await ledger()).toEqual({ delivered: 0, rejected: 0, waiting: 40, lost: 0 });
    await expect.poll(problem).toBe("refused 422");
    expect(peer.script.attempts.length).toBeLessThan(100);
    peer.script.behave = take;
    await pass(3600, 3600);
    expect(await ledger()).toEqual({ delivered: 40, rejected: 0, waiting: 0, lost: 0 });
    expectOrder();
  });
});

/** A receipt as another reading of the specification writes it. `ids` are those of the attempt. */
type Reading = (about: { id: string; ids: string[] }) => PeerAnswer;

const receipt =
  (write: (about: { id: string; ids: string[] }) => object): Reading =>
  (about) =>
    answer(200, { transaction_id: about.id, timestamp: 1, ...write(about) });
const compact = (id: string) => id.replaceAll("-", "").toUpperCase();
const mapOf = (ids: string[], value: unknown) => Object.fromEntries(ids.map((id) => [id, value]));

describe("a receipt that says that all is accepted", () => {
  it.each<[string, Reading]>([
    [
      "with compact ids in capitals",
      receipt(({ ids }) => ({ status: "accepted", accepted_messages: ids.map(compact), rejected_messages: [] })),
    ],
    [
      "with objects",
      receipt(({ ids }) => ({
        status: "accepted",
        accepted_messages: ids.map((id) => ({ message_id: id })),
        rejected_messages: [],
      })),
    ],
    [
      "with counts",
      receipt(({ ids }) => ({ status: "accepted", accepted_messages: ids.length, rejected_messages: 0 })),
    ],
    [
      "with maps",
      receipt(({ ids }) => ({ status: "accepted", accepted_messages: mapOf(ids, "queued"), rejected_messages: {} })),
    ],
    ["without lists", receipt(() => ({ status: "accepted" }))],
    ["in capitals", receipt(() => ({ status: "ACCEPTED", accepted_messages: null, rejected_messages: null }))],
    ["with a compact transaction id", ({ id }) => answer(200, { transaction_id: compact(id), status: "accepted" })],
    ["without a transaction id", ({ ids }) => answer(201, { status: "accepted", accepted_messages: ids })],
    ["without a status", receipt(({ ids }) => ({ accepted_messages: ids.map(compact), rejected_messages: [] }))],
    ["by a list, while it says partial", receipt(({ ids }) => ({ status: "partial", accepted_messages: ids }))],
  ])("%s settles it at once", async (_, reading) => {
    await read(reading);
    await send(recipients(3), 6);
    await pass(...almostAnHour);
    expect(await ledger()).toEqual({ delivered: 6, rejected: 0, waiting: 0, lost: 0 });
    expect([peer.script.repeated, maxCopies()]).toEqual([0, 1]);
  });

  it.each<[string, Reading]>([
    ["no body", () => answer(200, "")],
    ["a 204", () => answer(204, "")],
    ["an empty object", () => answer(202, {})],
    ["nothing but the transaction id", receipt(() => ({}))],
  ])("by %s counts when it was repeated", async (_, reading) => {
    await read(reading);
    await send(recipients(3), 6);
    await pass(...almostAnHour);
    expect(await ledger()).toEqual({ delivered: 6, rejected: 0, waiting: 0, lost: 0 });
    // It is the same transaction each time, which the peer need not process again.
    expect([peer.script.repeated, maxCopies()]).toEqual([0, 3]);
  });
});

describe("a receipt that names a rejected message", () => {
  const others = (ids: string[]) => ids.slice(1);
  const [accepted, rejected] = ["accepted_messages", "rejected_messages"];

  it.each<[string, Reading, number]>([
    [
      "with its error, and not the others",
      receipt(({ ids }) => ({ status: "partial", [rejected]: [{ message_id: ids[0], error: "ADDRESS_NOT_FOUND" }] })),
      1,
    ],
    [
      "in a map, and counts the others",
      receipt(({ ids }) => ({
        status: "partial",
        [accepted]: ids.length - 1,
        [rejected]: { [compact(ids[0] as string)]: "ADDRESS_NOT_FOUND" },
      })),
      1,
    ],
    ["by its bare id", receipt(({ ids }) => ({ status: "partial", [accepted]: others(ids), [rejected]: [ids[0]] })), 3],
    [
      "with an unknown error",
      receipt(({ ids }) => ({
        status: "partial",
        [accepted]: others(ids),
        [rejected]: [{ message_id: ids[0], error: "AGAINST_POLICY" }],
      })),
      3,
    ],
    [
      "with a text for an error",
      receipt(({ ids }) => ({
        status: "partial",
        [accepted]: others(ids),
        [rejected]: [{ message_id: ids[0], error: "\u001b]0;x\u0007" }],
      })),
      3,
    ],
  ])("%s is believed after the same answer three times at most", async (_, reading, times) => {
    // Which message is rejected depends on the message alone.
    let bad: string | undefined;
    let shown: string | null | undefined;
    peer.script.behave = async (attempt) => {
      shown ??= await problem();
      const ids = attempt.messages.map((one) => one.message_id);
      bad ??= ids[0];
      peer.script.arrived.push(...attempt.messages.filter((one) => one.message_id !== bad));
      if (!ids.includes(bad as string)) return answer(200, { transaction_id: attempt.id, status: "accepted" });
      return reading({ id: attempt.id, ids: [bad as string, ...ids.filter((id) => id !== bad)] });
    };
    await send(recipients(3), 6);
    await settled();
    await pass(...almostAnHour);
    if (times > 1) expect(shown).toMatch(/^rejected(?: AGAINST_POLICY)?$/);
    expect(await ledger()).toEqual({ delivered: 5, rejected: 1, waiting: 0, lost: 0 });
    expect(maxCopies()).toBe(times);
    expectOrder();
  });
});

describe("an answer that does not say what became of the messages", () => {
  it.each<[string, Reading, string]>([
    ["is no JSON", () => answer(200, "thank you"), "unreadable receipt 200"],
    ["is too long", () => answer(200, { note: "x".repeat(1_100_000) }), "answer 200"],
    [
      "is about another transaction",
      () => answer(200, { transaction_id: randomUUID(), status: "accepted" }),
      "unreadable receipt 200",
    ],
    [
      "only counts",
      receipt(({ ids }) => ({ status: "partial", accepted_messages: ids.length - 1, rejected_messages: 1 })),
      "unreadable receipt 200",
    ],
    ["has another status", receipt(() => ({ status: "fine" })), "unreadable receipt 200"],
    [
      "names no message",
      receipt(() => ({ status: "partial", accepted_messages: [], rejected_messages: [] })),
      "not named",
    ],
  ])("and %s delays its own transaction, at most three attempts in an hour", async (_, reading, shown) => {
    const to = recipients(4);
    await send(to.slice(0, 1));
    await settled();
    await read(reading);
    const odd = to.slice(0, 2);
    await send(odd, 2);
    await settled();
    await expect.poll(problem).toBe(shown);
    peer.script.behave = take;
    // Meanwhile others pass, and nothing overtakes a message for the same recipient.
    await send(to, 8);
    await settled();
    await read(reading);
    await pass(...almostAnHour);
    expect(maxCopies()).toBeLessThanOrEqual(3);
    expect((await ledger()).lost).toBe(0);
    peer.script.behave = take;
    await pass(86_400, 86_400);
    expect(await ledger()).toEqual({ delivered: 11, rejected: 0, waiting: 0, lost: 0 });
    expectOrder();
  });

  it("but rejects everything without a name is a refusal as a whole", async () => {
    peer.script.behave = ({ id }) => answer(200, { transaction_id: id, status: "rejected", rejected_messages: [] });
    await send(recipients(3), 6);
    await pass(...almostAnHour);
    expect(await ledger()).toEqual({ delivered: 0, rejected: 0, waiting: 6, lost: 0 });
    await expect.poll(problem).toBe("refused 200");
    peer.script.behave = take;
    await pass(3600, 3600);
    expect(await ledger()).toEqual({ delivered: 6, rejected: 0, waiting: 0, lost: 0 });
    expectOrder();
  });
});

/** The peer processes each transaction once and writes its receipts in its own way. */
async function read(reading: Reading): Promise<void> {
  peer.script.behave = (attempt, process) => {
    process();
    return reading({ id: attempt.id, ids: attempt.messages.map((one) => one.message_id) });
  };
}

/** How often the message came that came most often. */
function maxCopies(): number {
  const counts = new Map<string, number>();
  for (const { message_id: id } of peer.script.attempts.flatMap(({ messages }) => messages)) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}
