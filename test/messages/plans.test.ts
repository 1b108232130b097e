import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../src/database/db.js";
import * as partitions from "../../src/messages/ingest/deduplication/key-partitions-store.js";
import * as keys from "../../src/messages/ingest/deduplication/key-store.js";
import * as windows from "../../src/messages/ingest/limits/sending-windows-store.js";
import * as devices from "../../src/messages/model/read-model.js";
import * as counters from "../../src/messages/queue/counters-store.js";
import { keepArrayOrder } from "../../src/messages/queue/lock-order.js";
import { removeFromQueues } from "../../src/messages/queue/remove.js";
import * as queue from "../../src/messages/queue/store.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import {
  fillingMillis,
  fillTables,
  indexesUsed,
  isOfOneMachine,
  rowsForPlans,
  wholeScans,
} from "../support/explain.js";

const now = 1_000_000_000;
const today = 20_000;
const deviceIds = ["device-8", "device-9"];
const deviceId = "device-8";
const limit = rowsForPlans / 1000;
const messageId = "0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // A hundred messages a queue; one in fifty rows has expired.
  const queues = rowsForPlans / 100;
  const numbers = `generate_series(1, ${rowsForPlans}) as n`;
  await fillTables(database, {
    devices: `
      insert into devices (device_id, public_key, registered_at, last_active)
      select 'device-' || n, sha256(n::text::bytea), ${now}, ${now} from ${numbers}`,
    addresses: `
      insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
      select md5(n::text)::uuid, 'device-' || n, 'uuid', 'https://relay.test', ${now}, ${now}, ${now} + 9 from ${numbers}`,
    queues: `
      insert into queues (device_id, last_position, queued_messages, queued_bytes)
      select 'device-' || n, ${rowsForPlans}, 100, 6400 from ${numbers}`,
    sending_windows: `
      insert into sending_windows (device_id, started_at, count, window_limit, sent)
      select 'device-' || n, ${now}, 1, 10, 1 from ${numbers}`,
    sent_totals: `insert into sent_totals (device_id, sent) select 'device-' || n, 1 from ${numbers}`,
    messages: `
      insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at)
      select 'device-' || n % ${queues}, n, md5(n::text)::uuid, sha256(n::text::bytea), '', ${now}, ${now},
             ${now} - ${rowsForPlans} / 50 + n
      from ${numbers}`,
    message_keys: `
      create table message_keys_of_the_day partition of message_keys
        for values from ('4e200000-0000-0000-0000-000000000000') to ('4e210000-0000-0000-0000-000000000000');
      insert into message_keys (key) select ('4e20' || substr(md5(n::text), 5))::uuid from ${numbers}`,
    message_keys_default: `
      insert into message_keys (key) select ('4e19' || substr(md5(n::text), 5))::uuid from ${numbers}`,
    message_keys_with_expiry: `
      insert into message_keys_with_expiry (key, expires_on)
      select md5(n::text)::uuid, ${today} - ${rowsForPlans} / 50 + n from ${numbers}`,
  });
}, fillingMillis);
afterAll(() => database.drop());

const message = {
  deviceId,
  position: rowsForPlans + 1,
  messageId,
  ciphertext: randomBytes(64),
  senderSignature: "",
  sentAt: now,
  receivedAt: now,
  expiresAt: now,
  systemEvent: null,
};
const request = { deviceId, sends: 1, misses: 1, sendLimit: 10, missLimit: 30, windowLimit: 10, maxCarried: 10 };
const unused = { deviceId, startedAt: now, sends: 1, missesStartedAt: now, misses: 1 };
const time = { now, windowSeconds: 3600 };
const cases: Record<string, (db: Db) => Promise<unknown>> = {
  "the expiry of messages": async (db) => {
    const found = await queue.findExpired(db, { now, limit });
    expect(found).toHaveLength(limit);
    expect(await removeFromQueues(db, found)).toHaveLength(limit);
  },
  "the expiry of keys": async (db) => {
    expect(await keys.deleteExpiredKeys(db, { today, limit })).toBe(limit);
    expect(await partitions.deleteOldKeys(db, { today, limit })).toBe(limit);
  },
  "the removal of devices": async (db) => {
    await counters.countRows(db, deviceIds);
    await counters.deleteQueues(db, deviceIds);
  },
  "the look-up of senders and recipients": async (db) => {
    await devices.findRecipients(db, { prefixes: [messageId], now });
    await devices.findDeviceProfiles(db, deviceIds);
    await counters.readQueues(db, deviceIds);
    await counters.createQueues(db, deviceIds);
  },
  "the intake of a message": async (db) => {
    const old = [randomBytes(16).toString("latin1")];
    const ofToday = [Buffer.concat([Buffer.from("4e20", "hex"), randomBytes(14)]).toString("latin1")];
    await keepArrayOrder(db);
    expect(await keys.insertKeysWithExpiry(db, { keys: old, expiresOn: today })).toHaveLength(1);
    await keys.findKeysWithExpiry(db, old);
    expect(await keys.insertKeysByDay(db, ofToday)).toHaveLength(1);
    await keys.findKeysByDay(db, ofToday);
    expect(await counters.addToQueues(db, { additions: [{ deviceId, messages: 1, bytes: 64 }], now })).toHaveLength(1);
    await counters.refundQueues(db, [{ deviceId, messages: 1, bytes: 64 }]);
    await keys.deleteKeysWithExpiry(db, old);
    await keys.deleteKeysByDay(db, ofToday);
    await queue.insertMessages(db, [message]);
  },
  "the count of a sender": async (db) => {
    await windows.createWindows(db, deviceIds);
    expect(await windows.readWindows(db, [request], time)).toMatchObject([{ granted: 1, misses_granted: 1 }]);
    expect(await windows.countInWindows(db, [request], time)).toMatchObject([{ granted: 1, misses_granted: 1 }]);
    await windows.giveBackToWindows(db, [unused]);
  },
  "the totals of senders": async (db) => {
    expect(await windows.addSentToTotals(db, { after: "", limit })).toBeDefined();
    await windows.deleteWindows(db, deviceIds);
  },
  "a poll": async (db) => {
    const from = { deviceId, after: 0, since: 0, now: 0, limit: 100, bytes: 1_000_000, overshoot: 1 as const };
    expect((await queue.readQueue(db, from))?.messages).toHaveLength(100);
    await counters.countQueued(db, deviceId);
    await counters.advanceCursors(db, [{ deviceId, first: 0, last: 1 }]);
    await queue.markDelivered(db, { deviceId, positions: [rowsForPlans + 1], messageIds: [messageId], cursor: 0 });
  },
  "an acknowledgement": async (db) => {
    const found = await queue.findPositions(db, { wanted: [{ deviceId, messageId }], now });
    await removeFromQueues(db, [...found, { deviceId, position: 8, messageId }]);
  },
};

describe(`in tables of ${rowsForPlans} rows an index serves`, () => {
  it.each(Object.entries(cases).filter(([title]) => !isOfOneMachine(title)))("%s", async (_, work) => {
    expect(await wholeScans(database, work)).toEqual([]);
  });
});

describe("where queues have been emptied and indexes are as large as they were", () => {
  let emptied: TestDatabase;
  beforeAll(async () => {
    emptied = await createTestDatabase();
    const queues = `
      insert into devices (device_id, public_key, registered_at, last_active)
      select deviceOf(n), sha256(n::text::bytea), ${now}, ${now} from generate_series(0, 63) as n;
      insert into queues (device_id, last_position) select deviceOf(n), 500 from generate_series(0, 63) as n`;
    const messages = `
      insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at)
      select deviceOf(n % 64), n / 64, md5(n::text)::uuid, decode(repeat(md5(n::text), 30), 'hex'), '', ${now}, ${now}, ${now} + n
      from generate_series(0, 32000) as n`;
    const spelled = (sql: string) => sql.replaceAll(/deviceOf\(([^)]*)\)/g, "encode(sha256(($1)::text::bytea), 'hex')");
    await fillTables(emptied, { messages: spelled(`${queues}; ${messages}`) });
    await emptied.db.run("delete from messages where position < 500");
    await fillTables(emptied, { messages: "select 1" });
  }, fillingMillis);
  afterAll(() => emptied.drop());

  it.skipIf(isOfOneMachine("they are still read by their keys"))("they are still read by their keys", async () => {
    const from = { deviceId, after: 0, since: 0, now, limit: 100, bytes: 1_000_000, overshoot: 1 as const };
    const work = async (db: Db) => {
      await queue.deleteMessages(db, [{ deviceId, position: 8, messageId }]);
      await queue.readQueue(db, from);
      await counters.advanceCursors(db, [{ deviceId, first: 0, last: 1 }]);
      await counters.deleteQueues(db, [deviceId]);
    };
    expect(await indexesUsed(emptied, work)).toEqual(["messages_pkey", "queues_pkey"]);
    const find = (db: Db) => queue.findPositions(db, { wanted: [{ deviceId, messageId }], now });
    expect(await indexesUsed(emptied, find)).toEqual(["messages_message_id", "queues_pkey"]);
  });
});
