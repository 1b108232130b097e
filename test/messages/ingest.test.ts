import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pipeline } from "../../src/database/db.js";
import { type Accepted, type Envelope, isRefused, type Outcome, type Refused } from "../../src/messages/model/types.js";
import type { Prefix } from "../../src/protocol/identifiers.js";
import { terminateBackend, waitingBackends } from "../support/backends.js";
import { holdTransaction } from "../support/held-transaction.js";
import { tableOf } from "../support/table.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

let fixture: MessagesFixture;
let node: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture({ rate_limiting: { enabled: false }, storage: { message_queue_limit: 5000 } });
  node = await fixture.node();
});

afterAll(() => fixture.stop());

const from = (device: FixtureDevice) => ({ kind: "device", deviceId: device.deviceId }) as const;
const nameOf = (outcome: Outcome | undefined) =>
  outcome === undefined ? "none" : isRefused(outcome) ? outcome.error : outcome.status;
const queueOf = async (device: FixtureDevice) =>
  (await node.messages.poll(device.deviceId, { limit: 1000 })).messages.map((one) => one.messageId);

describe("concurrent flushes", () => {
  it("of several nodes keep one order per queue, which every reader sees", async () => {
    const nodes = [node, await fixture.node(), await fixture.node()];
    const [sender, ...recipients] = await Promise.all(Array.from({ length: 4 }, () => fixture.device()));
    const target = recipients[0] as FixtureDevice;
    let sending = true;
    const seen: number[] = [];
    const reading = (async () => {
      while (sending) {
        const after = seen.at(-1) ?? 0;
        const slice = await node.messages.readAfter(target.deviceId, after, { limit: 50, bytes: 1_000_000 });
        seen.push(...slice.messages.map(({ position }) => position));
      }
    })();
    const rounds = Array.from({ length: 30 }, (_, round) =>
      Promise.all(
        nodes.map(async ({ messages }) => {
          await new Promise((resolve) => setTimeout(resolve, round * 5));
          const envelopes = recipients.flatMap((to) => Array.from({ length: 5 }, () => fixture.envelope(to)));
          const outcomes = await messages.accept(from(sender as FixtureDevice), envelopes);
          expect(outcomes.map(nameOf)).toEqual(envelopes.map(() => "queued"));
        }),
      ),
    );
    await Promise.all(rounds);
    sending = false;
    await reading;
    const stored = await fixture.db.rows<{ position: number; received_at: number }>(
      "select position, received_at from messages where device_id = :id order by position",
      { id: target.deviceId },
    );
    expect(stored).toHaveLength(3 * 30 * 5);
    expect(stored.map(({ position }) => position)).toEqual(stored.map((_, i) => i + 1));
    const times = stored.map((row) => row.received_at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const rest = await node.messages.readAfter(target.deviceId, seen.at(-1) ?? 0, { limit: 1000, bytes: 1_000_000 });
    expect([...seen, ...rest.messages.map(({ position }) => position)]).toEqual(stored.map(({ position }) => position));
  });

  it("that write to each other's senders in opposite orders all succeed", async () => {
    const nodes = [node, await fixture.node()];
    const devices = await Promise.all(Array.from({ length: 20 }, () => fixture.device()));
    const sendings = nodes.flatMap(({ messages }, n) =>
      (n === 0 ? devices : devices.toReversed()).flatMap((sender) =>
        devices.map((to) => messages.accept(from(sender), [fixture.envelope(to)])),
      ),
    );
    const outcomes = (await Promise.all(sendings)).flat();
    expect(new Set(outcomes.map(nameOf))).toEqual(new Set(["queued"]));
    for (const device of devices.slice(0, 3)) expect(await node.messages.countQueued(device.deviceId)).toBe(40);
  });
});

describe("a message that cannot be stored", () => {
  it("fails alone: the others of its flush are accepted, each once", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    // PostgreSQL stores no NUL in a text; the HTTP layer lets none through, so this stands for any fault of one row.
    const poison = fixture.envelope(to, { senderSignature: "\u0000" });
    const good = Array.from({ length: 25 }, () => fixture.envelope(to));
    const sendings = [...good.slice(0, 12), poison, ...good.slice(12)].map((one) =>
      node.messages.accept(from(sender), [one]),
    );
    const outcomes = (await Promise.all(sendings)).map(([outcome]) => nameOf(outcome));
    expect(outcomes.filter((name) => name === "queued")).toHaveLength(25);
    expect(outcomes[12]).toBe("INTERNAL");
    expect(new Set(await queueOf(to))).toEqual(new Set(good.map((one) => one.messageId)));
    expect(await node.messages.countQueued(to.deviceId)).toBe(25);
  });
});

describe("a lost connection", () => {
  it("during a flush is answered DATABASE_UNAVAILABLE, and the message may be sent again", async () => {
    const other = await fixture.node();
    const [sender, to] = [await fixture.device(), await fixture.device()];
    await other.messages.accept(from(sender), [fixture.envelope(to)]);
    const envelope = fixture.envelope(to);
    const blocker = await holdTransaction(fixture.db);
    await blocker.run("set local idle_in_transaction_session_timeout = 0");
    await blocker.run("select 1 from queues where device_id = :id for update", { id: to.deviceId });
    const sending = other.messages.accept(from(sender), [envelope]);
    await expect.poll(() => waitingBackends(fixture.db)).toHaveLength(1);
    const [pid] = await waitingBackends(fixture.db);
    await terminateBackend(fixture.db, pid as number);
    expect((await sending).map(nameOf)).toEqual(["DATABASE_UNAVAILABLE"]);
    await blocker.rollback();
    expect((await other.messages.accept(from(sender), [envelope])).map(nameOf)).toEqual(["queued"]);
    expect(await queueOf(to)).toHaveLength(2);
  });
});

describe("too many waiting messages", () => {
  it("are refused with OVERLOADED at once, and the others stay accepted", async () => {
    const small = await fixture.node({ config: { intakeBufferMessages: 10, intakeFlushMessages: 5 } });
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const sendings = Array.from({ length: 40 }, () => small.messages.accept(from(sender), [fixture.envelope(to)]));
    const results = await Promise.allSettled(sendings);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(20);
    for (const { reason } of refused) expect(reason).toMatchObject({ id: "OVERLOADED" });
    expect(await queueOf(to)).toHaveLength(40 - refused.length);
    expect((await small.messages.accept(from(sender), [fixture.envelope(to)])).map(nameOf)).toEqual(["queued"]);
  });
});

describe("messages of peers", () => {
  const peer = { kind: "peer", domain: "peer.example" } as const;

  it("count against no device, and are recognised by their tag", async () => {
    const to = await fixture.device();
    const tagged = fixture.envelope(to, { dedupTag: "a" });
    const outcomes = await node.messages.accept(peer, [tagged, { ...tagged, ciphertext: Buffer.from("x") }]);
    expect(outcomes.map(nameOf)).toEqual(["queued", "duplicate"]);
    const elsewhere = await node.messages.accept({ kind: "peer", domain: "other.example" }, [tagged]);
    expect(elsewhere.map(nameOf)).toEqual(["queued"]);
  });

  it("without a tag are recognised by origin, id, recipient and bytes", async () => {
    const to = await fixture.device();
    const bare = fixture.envelope(to);
    expect((await node.messages.accept(peer, [bare])).map(nameOf)).toEqual(["queued"]);
    expect((await node.messages.accept(peer, [bare])).map(nameOf)).toEqual(["duplicate"]);
    const changed: Envelope = { ...bare, ciphertext: Buffer.from("other") };
    expect((await node.messages.accept(peer, [changed])).map(nameOf)).toEqual(["queued"]);
  });

  it("commit the side effect of their caller on the fast path, and leave it to the caller on the slow path", async () => {
    const [one, two] = await Promise.all([fixture.device(), fixture.device()]);
    const envelopes = [fixture.envelope(one), fixture.envelope(two)];
    const written: string[][] = [];
    const newSideEffect = () => ({
      ...{ order: "peer.example", committed: false },
      async write(db: Pipeline, outcomes: readonly Outcome[]) {
        written.push(outcomes.map(nameOf));
        await db.run("select 1");
      },
    });
    const [first, again] = [newSideEffect(), newSideEffect()];
    await node.messages.accept(peer, envelopes, first);
    expect([first.committed, written]).toEqual([true, [["queued", "queued"]]]);
    expect((await node.messages.accept(peer, envelopes, again)).map(nameOf)).toEqual(["duplicate", "duplicate"]);
    expect([again.committed, written.length]).toEqual([false, 1]);
  });

  it("are queued even if the side effect cannot be written", async () => {
    const to = await fixture.device();
    const sideEffect = {
      ...{ order: "peer.example", committed: false },
      write: async (db: Pipeline) => void (await db.rows("select 1 / 0")),
    };
    const envelopes = [fixture.envelope(to), fixture.envelope(to)];
    expect((await node.messages.accept(peer, envelopes, sideEffect)).map(nameOf)).toEqual(["queued", "queued"]);
    expect(sideEffect.committed).toBe(false);
    expect(await queueOf(to)).toHaveLength(2);
  });

  it("to unknown addresses are refused", async () => {
    const nobody = { deviceId: "", prefix: "00000000-0000-4000-8000-000000000000" as Prefix };
    expect((await node.messages.accept(peer, [fixture.envelope(nobody)])).map(nameOf)).toEqual(["ADDRESS_NOT_FOUND"]);
  });
});

describe("messages for other servers", () => {
  it("are forwarded in the transaction that accepts them, once, and may be refused there", async () => {
    const [stored, outbox]: [string[], string[]] = [[], []];
    const full: Refused = { error: "QUEUE_FULL", message: "the outbox is full" };
    const accepted: Accepted = { status: "federated", estimate: "delayed" };
    const federating = await fixture.node({
      forward: async (trx, messages) => {
        await trx.run("select 1");
        const outcomes = messages.map(({ domain, dedupTag }) => {
          expect(dedupTag).toMatch(/^[0-9a-f]{32}$/);
          return domain === "full.example" ? full : accepted;
        });
        const ids = messages.filter((_, i) => outcomes[i] === accepted).map(({ messageId }) => messageId);
        const store = async () => void stored.push(...ids);
        return { outcomes, statements: [store], committed: () => void outbox.push(...ids) };
      },
    });
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const remote = fixture.envelope(to, { domain: "peer.example" });
    const toFull = fixture.envelope(to, { domain: "full.example" });
    const outcomes = await federating.messages.accept(from(sender), [remote, toFull, fixture.envelope(to), remote]);
    expect(outcomes.map(nameOf)).toEqual(["federated", "QUEUE_FULL", "queued", "duplicate"]);
    expect((await federating.messages.accept(from(sender), [toFull])).map(nameOf)).toEqual(["QUEUE_FULL"]);
    expect([stored, outbox]).toEqual([[remote.messageId], [remote.messageId]]);
    expect(await queueOf(to)).toHaveLength(1);
    const counters = await tableOf(fixture.db, "sending_windows").where({ device_id: sender.deviceId });
    expect(counters).toMatchObject([{ sent: 2, count: 2 }]);
  });

  it("leave the side effect of their call to its caller, because they are stored apart", async () => {
    const accepted: Accepted = { status: "federated", estimate: "delayed" };
    const federating = await fixture.node({
      forward: async (_, messages) => ({
        ...{ outcomes: messages.map(() => accepted), statements: [], committed: () => undefined },
      }),
    });
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const written: (readonly Outcome[])[] = [];
    const sideEffect = {
      ...{ order: "", committed: false },
      write: async (_: Pipeline, outcomes: readonly Outcome[]) => void written.push(outcomes),
    };
    const envelopes = [fixture.envelope(to), fixture.envelope(to, { domain: "peer.example" })];
    const outcomes = await federating.messages.accept(from(sender), envelopes, sideEffect);
    expect(outcomes.map(nameOf)).toEqual(["queued", "federated"]);
    expect([sideEffect.committed, written]).toEqual([false, []]);
  });
});

describe("the keys of sent messages", () => {
  it("show whether a device sent an id to one of some addresses, and nothing else", async () => {
    const [sender, to, other] = [await fixture.device(), await fixture.device(), await fixture.device()];
    const sent = fixture.envelope(to);
    await node.messages.accept(from(sender), [sent]);
    const ask = (senderId: string, messageId: string, prefixes: string[]) =>
      node.messages.wasSentBy(fixture.db, { senderId, messageId, recipient: to, prefixes });
    expect(await ask(sender.deviceId, sent.messageId, [other.prefix, to.prefix])).toBe(true);
    expect(await ask(other.deviceId, sent.messageId, [to.prefix])).toBe(false);
    expect(await ask(sender.deviceId, fixture.envelope(to).messageId, [to.prefix])).toBe(false);
    expect(await ask(sender.deviceId, sent.messageId, [other.prefix])).toBe(false);
    expect(await ask(sender.deviceId, sent.messageId, [])).toBe(false);
  });
});

describe("a removed device", () => {
  it("has no queue, no counters and no address any more", async () => {
    const [sender, gone] = [await fixture.device(), await fixture.device()];
    await node.messages.accept(from(sender), [fixture.envelope(gone)]);
    await fixture.db.transaction(async (trx) => {
      await node.messages.forgetDevices(trx, [gone.deviceId]);
      await tableOf(trx, "devices").where({ device_id: gone.deviceId }).delete();
    });
    const left = await fixture.db.rows("select 1 from messages where device_id = :id", { id: gone.deviceId });
    expect(left).toEqual([]);
    // Its address is still there, as it is for a moment on a node that reads while the removal commits.
    const [outcome] = await node.messages.accept(from(sender), [fixture.envelope(gone)]);
    expect(nameOf(outcome)).toBe("ADDRESS_NOT_FOUND");
    const [own] = await node.messages.accept(from(gone), [fixture.envelope(sender)]);
    expect(nameOf(own)).toBe("INVALID_TOKEN");
    expect(await node.messages.poll(gone.deviceId, { limit: 10 })).toMatchObject({ messages: [], hasMore: false });
  });

  it("that vanishes while a message for it waits is answered like an unknown address", async () => {
    const [sender, gone, stays] = await Promise.all(Array.from({ length: 3 }, () => fixture.device()));
    if (!sender || !gone || !stays) throw new Error("there are three");
    await node.messages.accept(from(sender), [fixture.envelope(gone)]);
    const removal = await holdTransaction(fixture.db);
    await node.messages.forgetDevices(removal, [gone.deviceId]);
    await tableOf(removal, "devices").where({ device_id: gone.deviceId }).delete();
    const sending = node.messages.accept(from(sender), [fixture.envelope(gone), fixture.envelope(stays)]);
    await expect.poll(() => waitingBackends(fixture.db)).toHaveLength(1);
    await removal.commit();
    expect((await sending).map(nameOf)).toEqual(["ADDRESS_NOT_FOUND", "queued"]);
  });
});
