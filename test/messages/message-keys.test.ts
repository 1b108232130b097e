import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sqlStateOf } from "../../src/database/errors.js";
import { placeKey } from "../../src/database/key-placement.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import {
  createPartition,
  dropDay,
  findMissingPartitions,
} from "../../src/messages/ingest/deduplication/key-partitions-store.js";
import { uuidOfKey } from "../../src/messages/ingest/deduplication/message-key.js";
import type { Envelope } from "../../src/messages/model/types.js";
import { copyKeysIntoPartitions, moveKeysOutOfPartitions } from "../../src/messages/service.js";
import { createManualClock } from "../../src/node/clock.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { isDistributed } from "../support/backends.js";
import { mayIdle } from "../support/held-transaction.js";
import { until } from "../support/until.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

// Where the keys by which repetitions are recognised lie, and for how long (spec/decisions/0125).

const day = 86_400;
const retentionDays = 3;
const masterKey = randomBytes(32);
const lockNotAvailable = "55P03";
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
let fixture: MessagesFixture;
let node: MessagesNode;
let sender: FixtureDevice;
let to: FixtureDevice;

beforeAll(async () => {
  fixture = await createMessagesFixture({ server: { max_retention_days: retentionDays } }, { masterKey });
  node = await fixture.node();
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  [sender, to] = [await fixture.device({ admin_verified: true }), await fixture.device()];
});

/** A message whose id is of so many days from now. */
const messageOf = (days: number): Envelope =>
  fixture.envelope(to, { messageId: newMessageId(fixture.clock.nowMillis() + days * day * 1000, randomBytes(10)) });
const send = async (envelope: Envelope, by = node) => {
  const [outcome] = await by.messages.accept({ kind: "device", deviceId: sender.deviceId }, [envelope]);
  return outcome;
};
const queued = { status: "queued" };
const duplicate = { status: "duplicate" };
const sinceMidnight = () => fixture.clock.nowSeconds() % day;
/** The hours of the job that looks after keys, up to so many seconds later. */
const pass = async (seconds: number) => {
  fixture.clock.advance(seconds);
  await node.messages.prepareKeys();
  return node.messages.expireKeys();
};
const partitions = async () => {
  const found = await fixture.db.rows<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'message_keys'::regclass and inhrelid <> 'message_keys_default'::regclass order by 1`,
  );
  return found.map(({ name }) => name);
};
const nameOf = (days: number) => {
  const date = new Date(fixture.clock.nowMillis() + days * day * 1000);
  return `message_keys_${date.toISOString().slice(0, 10).replaceAll("-", "_")}`;
};
const countIn = async (table: string) => {
  const row = await fixture.db.one<{ count: number }>(`select count(*) as count from ${table}`);
  return row?.count;
};

/** How many statements wait for the keys. */
const countWaiting = async () => {
  const row = await fixture.db.one<{ count: number }>(
    "select count(*) as count from pg_locks where relation in ('message_keys'::regclass, 'message_keys_default'::regclass) and not granted",
  );
  return row?.count;
};

describe.skipIf(isDistributed)("the key of a message, on one machine,", () => {
  it("lies in the partition of its day, and partitions exist for the next days", async () => {
    expect(await partitions()).toEqual(expect.arrayContaining([0, 1, 2, 3].map(nameOf)));
    const before = await countIn(nameOf(0));
    expect(await send(messageOf(0))).toMatchObject(queued);
    expect(await countIn(nameOf(0))).toBe((before ?? 0) + 1);
    expect(await countIn("message_keys_default")).toBe(0);
    expect(await countIn("message_keys_with_expiry")).toBe(0);
  });

  it("is dropped with its day, and days that have ended leave nothing behind", async () => {
    await send(messageOf(0));
    expect((await pass((retentionDays + 1) * day)).days).toBe(1);
    expect(await partitions()).toEqual([-3, -2, -1, 0, 1, 2, 3].map(nameOf));
    expect(await countIn("message_key_days")).toBe(7);
  });

  it("is removed with the others of its day where it came long before that", async () => {
    await send(messageOf(retentionDays + 1));
    await send(messageOf(retentionDays + 2));
    await pass((retentionDays + 2) * day);
    await pass((retentionDays + 2) * day);
    expect(await countIn("message_keys")).toBe(0);
    expect(await countIn("message_keys_with_expiry")).toBe(0);
  });
});

describe.skipIf(isDistributed)("where the jobs did not run", () => {
  it("keys are stored beside the partitions, and moved once there is one", async () => {
    fixture.clock.advance(30 * day);
    const envelope = messageOf(0);
    expect(await send(envelope)).toMatchObject(queued);
    expect(await countIn("message_keys_default")).toBe(1);
    expect(await send(envelope)).toMatchObject(duplicate);
    await pass(0);
    expect([await countIn(nameOf(0)), await countIn("message_keys_default")]).toEqual([1, 0]);
    expect(await send(envelope)).toMatchObject(duplicate);
    expect(await partitions()).toEqual([0, 1, 2, 3].map(nameOf));
  });

  it("messages are stored, and found, that wait while the partition of their keys is created", async () => {
    const other = await fixture.node();
    fixture.clock.advance(30 * day);
    const [early, ...envelopes] = [messageOf(0), messageOf(0), messageOf(0)];
    expect(await send(early)).toMatchObject(queued);
    const { messageId } = early;
    const sent = { senderId: sender.deviceId, messageId, recipient: to, prefixes: [to.prefix] };
    const waiting = await fixture.db.transaction(async (trx) => {
      await mayIdle(trx);
      await createPartition(trx, Math.floor(fixture.clock.nowSeconds() / day));
      const sending = [send(envelopes[0] as Envelope), send(envelopes[1] as Envelope, other)];
      const finding = node.messages.wasSentBy(fixture.db, sent);
      await until(async () => (await countWaiting()) === 3, "all wait for the partition");
      return { sending, finding };
    });
    expect(await Promise.all(waiting.sending)).toMatchObject([queued, queued]);
    expect(await waiting.finding).toBe(true);
    expect([await countIn(nameOf(0)), await countIn("message_keys_default")]).toEqual([3, 0]);
    for (const envelope of envelopes) expect(await send(envelope)).toMatchObject(duplicate);
  });

  it("several nodes create partitions at once", async () => {
    fixture.clock.advance(30 * day);
    const nodes = await Promise.all([fixture.node(), fixture.node(), fixture.node()]);
    expect(await partitions()).toEqual(expect.arrayContaining([0, 1, 2, 3].map(nameOf)));
    const envelope = messageOf(0);
    const outcomes = await Promise.all(nodes.map((one) => send(envelope, one)));
    expect(outcomes.map((one) => one !== undefined && "status" in one && one.status).sort()).toEqual([
      "duplicate",
      "duplicate",
      "queued",
    ]);
  });

  it("one that waited for another to create a partition finds it", async () => {
    const pools = numbers(4).map(() => createDatabase({ url: fixture.database.url, poolSize: 1 }));
    const someDay = Math.floor(fixture.clock.nowSeconds() / day) + 200;
    try {
      for (const of of numbers(10)) {
        const days = { first: someDay + of, last: someDay + of };
        const found = await Promise.all(pools.map((pool) => findMissingPartitions(pool, days)));
        expect(found.flat()).toEqual(pools.map(() => someDay + of));
        const created = await Promise.allSettled(pools.map((pool) => createPartition(pool, someDay + of)));
        for (const one of created) {
          if (one.status === "rejected") expect(sqlStateOf(one.reason)).toBe(lockNotAvailable);
        }
        expect(await findMissingPartitions(fixture.db, days)).toEqual([]);
        await dropDay(fixture.db, someDay + of);
      }
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  });

  it("a clock that was wrong for a while loses nothing", async () => {
    const clock = createManualClock(fixture.clock);
    clock.advance(60 * day);
    const ahead = await createMessagesFixture({}, { database: fixture.database, masterKey, clock });
    const wrong = await ahead.node();
    const [early, late] = [messageOf(0), messageOf(0)];
    expect(await send(early)).toMatchObject(queued);
    expect(await send(late, wrong)).toMatchObject(queued);
    expect(await send(late, wrong)).toMatchObject(duplicate);
    expect([await send(early), await send(late)]).toMatchObject([duplicate, duplicate]);
    const kept = await partitions();
    expect(kept).toEqual(expect.arrayContaining([0, 3, 60, 63].map(nameOf)));
    await wrong.stop();
    await ahead.settings.stop();
  });
});

/** The key of a message to `to`, as the database has it. */
const keyOf = (envelope: Envelope) =>
  uuidOfKey(placeKey(node.messages.dedupKeyOf({ kind: "device", deviceId: sender.deviceId }, envelope), to.deviceId));
const isIn = async (table: string, envelope: Envelope) => {
  const sql = `select 1 from ${table} where key = :key::uuid`;
  return (await fixture.db.rows(sql, { key: keyOf(envelope) })).length === 1;
};

describe.skipIf(isDistributed)("before the database is distributed", () => {
  it("all keys get an expiry, and are the same as before", async () => {
    const envelopes = [messageOf(0), messageOf(-1), messageOf(retentionDays + 5)];
    for (const envelope of envelopes) await send(envelope);
    const before = new Set(await storedKeys());
    await moveKeysOutOfPartitions(fixture.db);
    expect(await countIn("message_keys")).toBe(0);
    expect(new Set(await storedKeys())).toEqual(before);
    for (const envelope of envelopes) expect(await isIn("message_keys_with_expiry", envelope)).toBe(true);
    const today = Math.floor(fixture.clock.nowSeconds() / day);
    const found = await fixture.db.rows<{ expires_on: number }>(
      "select expires_on from message_keys_with_expiry where key = any(:keys::uuid[])",
      { keys: envelopes.map(keyOf) },
    );
    expect(found.map(({ expires_on }) => expires_on)).toEqual(envelopes.map(() => today + retentionDays));
  });
});

/** All keys of the database, each once. */
const storedKeys = async () => {
  const sql = "select key from message_keys union select key from message_keys_with_expiry";
  return (await fixture.db.rows<{ key: string }>(sql)).map(({ key }) => key);
};

describe.skipIf(isDistributed)("once a distributed database has been restored on one that is not", () => {
  it.each([
    -400,
    -1,
    0,
    1,
    2,
    retentionDays + 1,
    retentionDays + 5,
    60_000,
  ])("its messages with ids %i days from then are recognised for the retention period, and others accepted", async (days) => {
    const envelope = messageOf(days);
    await send(envelope);
    // So lie the keys of a distributed database.
    await moveKeysOutOfPartitions(fixture.db);
    const today = Math.floor(fixture.clock.nowSeconds() / day);
    await fixture.db.run("update message_keys_with_expiry set expires_on = :until::integer where key = :key::uuid", {
      until: today + retentionDays,
      key: keyOf(envelope),
    });
    await dropPartitions();

    for (let run = 0; run < 2; run++) await copyKeysIntoPartitions(fixture.db, today);
    const restored = await fixture.node();
    expect(await send(envelope, restored)).toMatchObject(duplicate);
    const other = messageOf(days);
    expect([await send(other, restored), await send(other, restored)]).toMatchObject([queued, duplicate]);
    for (let passed = 0; passed < retentionDays; passed++) {
      expect(await send(envelope, restored)).toMatchObject(duplicate);
      await pass(day);
    }
    if (days > 0) return;
    await pass((retentionDays + 2) * day);
    expect(await isIn("message_keys", envelope)).toBe(false);
    expect(await isIn("message_keys_with_expiry", envelope)).toBe(false);
  });

  it("a message with an id of a later day is recognised the day before, though nobody sent it again until then", async () => {
    const envelope = messageOf(2);
    await send(envelope);
    await moveKeysOutOfPartitions(fixture.db);
    await dropPartitions();
    await copyKeysIntoPartitions(fixture.db, Math.floor(fixture.clock.nowSeconds() / day));
    const restored = await fixture.node();
    await pass(day);
    expect(await send(envelope, restored)).toMatchObject(duplicate);
  });

  it("the keys of its last day lie in a partition, and are dropped with it", async () => {
    await send(messageOf(0));
    await moveKeysOutOfPartitions(fixture.db);
    await dropPartitions();
    await copyKeysIntoPartitions(fixture.db, Math.floor(fixture.clock.nowSeconds() / day));
    expect(await countIn(nameOf(0))).toBeGreaterThan(0);
    expect(await countIn("message_keys_default")).toBe(0);
    const restored = await fixture.node();
    await restored.messages.prepareKeys();
    expect(await partitions()).toEqual([0, 1, 2, 3].map(nameOf));
  });
});

/** As on a database that never had any of the days that are to come. */
const dropPartitions = async () => {
  for (const name of await partitions()) await fixture.db.run(`drop table ${name}`);
  await fixture.db.run("truncate message_key_days");
};

describe.skipIf(isDistributed)("while another session reads the keys", () => {
  it("messages are accepted, and what has expired is dropped later", async () => {
    await send(messageOf(0));
    const expired = nameOf(0);
    const reader = new pg.Client({ connectionString: fixture.database.url });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select count(*) from message_keys");
    fixture.clock.advance((retentionDays + 1) * day);
    const dropping = node.messages.expireKeys();
    for (let i = 0; i < 20; i++) expect(await send(messageOf(0))).toMatchObject(queued);
    expect((await dropping).days).toBe(0);
    expect(await partitions()).toContain(expired);
    await reader.end();
    expect((await node.messages.expireKeys()).days).toBeGreaterThan(0);
    expect(await partitions()).not.toContain(expired);
  });
});

describe("the key of a message, on one machine and on several,", () => {
  it.each([
    ["of today", 0],
    ["of yesterday", -1],
    ["of long ago", -400],
    ["of tomorrow", 1],
    ["of a day without a partition yet", retentionDays + 1],
    ["of a day after the retention period", retentionDays + 2],
    ["of the far future", 60_000],
  ])("recognises a message with an id %s for the retention period, and at most a day longer", async (_, days) => {
    const envelope = messageOf(days);
    const left = day - sinceMidnight();
    expect(await send(envelope)).toMatchObject(queued);
    expect(await send(envelope)).toMatchObject(duplicate);
    await pass(left);
    expect(await send(envelope)).toMatchObject(duplicate);
    await pass(day);
    expect(await send(envelope)).toMatchObject(duplicate);
    await pass((retentionDays - 1) * day - left - 60);
    expect(await send(envelope)).toMatchObject(duplicate);
    if (days > 0) return;
    await pass(day + 120);
    expect(await send(envelope)).toMatchObject(queued);
  });

  it("is of nobody's concern while the message is refused", async () => {
    const envelopes = [messageOf(0), messageOf(-2)];
    const barred = await fixture.device({ offline_message_limit: 0 });
    const before = [await countIn("message_keys"), await countIn("message_keys_with_expiry")];
    for (const envelope of envelopes) {
      expect(await send({ ...envelope, recipient: barred.prefix })).toMatchObject({ error: "QUEUE_FULL" });
    }
    expect([await countIn("message_keys"), await countIn("message_keys_with_expiry")]).toEqual(before);
  });
});

describe("the retention setting", () => {
  it("never shortens the time that was promised", async () => {
    const keepFor = (days: number) => fixture.settings.update({ server: { max_retention_days: days } }, null);
    await keepFor(2 * retentionDays);
    const envelope = messageOf(0);
    expect(await send(envelope)).toMatchObject(queued);
    await keepFor(retentionDays);
    await node.messages.prepareKeys();
    expect(await send(messageOf(0))).toMatchObject(queued);
    await pass(2 * retentionDays * day - 60);
    expect(await send(envelope)).toMatchObject(duplicate);
  });
});
