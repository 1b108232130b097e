import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deduplicationSecret } from "../../src/messages/ingest/deduplication.js";
import { daylessForm, deviceKey, longForm, storedForm } from "../../src/messages/ingest/message-key.js";
import { createMasterKey } from "../../src/platform/auth/master-key.js";
import { createSecrets } from "../../src/platform/auth/secrets.js";
import type { ManualClock } from "../../src/platform/cluster/clock.js";
import { rows } from "../../src/platform/database/connection.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { call } from "../support/api.js";
import type { TestDatabase } from "../support/database.js";
import { demand, message, type TestDevice } from "../support/device.js";
import { fetchPackage } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type KnownDevice, loadFixture, type UpgradeFixture } from "./fixture.js";

// Each version whose schema or stored values differ from those of the one before, with what is particular about it. Made
// by scripts/make-upgrade-fixture.ts; a released one never changes.
const versions = ["hashes-without-day", "windows-in-mailboxes", "before-slots-for-unreached"];

type Known = KnownDevice & Pick<TestDevice, "send" | "poll" | "ack">;

describe.each(versions)("a database as the version with %s left it", (name) => {
  let database: TestDatabase;
  let fixture: UpgradeFixture;
  let clock: ManualClock;
  let relay: TestRelay;
  let devices: Record<keyof UpgradeFixture["devices"], Known>;

  beforeAll(async () => {
    ({ fixture, database, clock } = await loadFixture(name));
    relay = await start();
    const { sender, recipient, blocked } = fixture.devices;
    devices = { sender: deviceOf(sender), recipient: deviceOf(recipient), blocked: deviceOf(blocked) };
  });
  afterAll(async () => {
    await relay.stop();
    await database.drop();
  });

  const start = () => startRelay({ databaseUrl: database.url, masterKey: fixture.masterKey }, { clock });
  const deviceOf = (known: KnownDevice): Known => ({
    ...known,
    send: (to, draft) => call(relay, "sendMessage", { token: known.token, body: message(relay, to, draft) }),
    poll: (query = {}) => call(relay, "pollMessages", { token: known.token, query: { ...query } }),
    ack: (ids) => call(relay, "acknowledgeMessages", { token: known.token, body: { message_ids: ids } }),
  });
  const repeat = (body: object, node = relay) =>
    call(node, "sendMessage", { token: fixture.devices.sender.token, body });
  const queued = async () => demand(await devices.recipient.poll()).body.messages.map((one) => one.message_id);
  const kept = () => fixture.sent.map((one) => one.message_id).filter((id) => !fixture.acknowledged.includes(id));
  /** The three forms of the key of what the sender sends the recipient under this id, the present one first. */
  const formsOf = async (messageId: string) => {
    const masterKey = createMasterKey(Buffer.from(fixture.masterKey, "hex"), createSystemRandom());
    const secret = await createSecrets({ db: database.db, masterKey, random: createSystemRandom(), clock }).get(
      deduplicationSecret,
    );
    const { sender, recipient } = fixture.devices;
    const sent = { senderId: sender.deviceId, messageId, prefix: recipient.address.split("@")[0] as string };
    const key = deviceKey(secret, sent);
    return [storedForm(key), longForm(key), daylessForm(key)].map((form) => Buffer.from(form, "latin1"));
  };
  const storedForms = async (messageId: string) => {
    const found = await Promise.all(
      (await formsOf(messageId)).map((key) =>
        rows(
          database.db,
          `select 1 from deduplication where key = :key
           union all select 1 from message_keys where uuid_send(key) = :key`,
          { key },
        ),
      ),
    );
    return found.map((of) => of.length);
  };

  it("keeps its queues, and brings nothing back that was acknowledged", async () => {
    expect(await queued()).toEqual(kept());
  });

  it("goes on with the window of a sender", async () => {
    const more = [];
    for (let i = 0; i < 7; i++) more.push(await devices.sender.send(devices.blocked.address));
    expect(more.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429, 429]);
  });

  it("tells the sums of what was sent, before and after", async () => {
    const [row] = await rows(
      database.db,
      `select m.messages_sent + coalesce(t.sent, 0) + w.sent as sent
       from mailboxes as m
       left join sent_totals as t on t.device_id = m.device_id
       left join sending_windows as w on w.device_id = m.device_id
       where m.device_id = :deviceId`,
      { deviceId: devices.sender.deviceId },
    );
    expect(row).toEqual({ sent: 10 });
  });

  it("recognises messages that come again", async () => {
    for (const one of fixture.sent) expect((await repeat(one)).status).toBe(202);
    expect(await queued()).toEqual(kept());
  });

  it("believes a report of a message from before", async () => {
    const report = { message_id: fixture.sent[0]?.message_id, sender_id: devices.sender.deviceId, reason: "spam" };
    demand(await call(relay, "reportSpam", { token: devices.recipient.token, body: report }));
    const { deviceId } = devices.sender;
    const found = await rows(database.db, "select status from spam_reports where reported = :deviceId", { deviceId });
    expect(found).toEqual([{ status: "verified" }]);
  });

  it("holds blocks", async () => {
    const refused = await devices.blocked.send(devices.recipient.address);
    expect([refused.status, refused.body["limit"]]).toEqual([429, 0]);
  });

  it("hands no key package out that was handed out before", async () => {
    const asking = devices.sender as unknown as TestDevice;
    const fetchOne = () => fetchPackage(relay, asking, devices.recipient.deviceId);
    const rest = [demand(await fetchOne()).body.key_package, demand(await fetchOne()).body.key_package];
    expect([fixture.fetched, ...rest].sort()).toEqual([...fixture.keyPackages].sort());
    expect((await fetchOne()).body.error).toBe("NO_KEY_PACKAGES");
  });

  it.each([
    ["with the day", 1],
    ["without the day", 2],
  ])("delivers what an older node stores beside this one, %s in its key, and recognises it", async (_, form) => {
    const body = message(relay, devices.recipient.address);
    await storeAsBefore(body, (await formsOf(body.message_id))[form] as Buffer);
    expect(await queued()).toEqual([...kept(), body.message_id]);
    expect((await repeat(body)).status).toBe(202);
    expect(await queued()).toEqual([...kept(), body.message_id]);
    demand(await devices.recipient.ack([body.message_id]));
    expect(await queued()).toEqual(kept());
  });

  it("offers such a node the tables under the names that it knows", async () => {
    const hash = randomBytes(32);
    await database.db.raw(
      `insert into device_marks (device_hash, blocked_at, banned_until, marked_at) values (?, 1, null, 1)
       on conflict (device_hash) do update set blocked_at = excluded.blocked_at`,
      [hash],
    );
    const stored = await database.db.raw("select 1 from block_tombstones where device_hash = ?", [hash]);
    expect(stored.rows).toHaveLength(1);
    await database.db.raw("delete from device_marks where device_hash = ?", [hash]);
    await database.db.raw(
      `insert into census (taken_at, millis, levels) values (0, 1, '{}')
       on conflict (one) do update set millis = excluded.millis where census.taken_at <= excluded.taken_at`,
    );
    const earlier = await database.db.raw("select written_until, kept_until from earlier_keys");
    expect(earlier.rows).toEqual((await database.db.raw("select written_until, kept_until from earlier_hashes")).rows);
  });

  it("lets such a node recognise what this one stores, until it must be gone", async () => {
    clock.advance(3601);
    const body = message(relay, devices.recipient.address);
    expect((await repeat(body)).status).toBe(202);
    expect(await storedForms(body.message_id)).toEqual([1, 1, 1]);
    demand(await devices.recipient.ack([body.message_id]));
    await database.db.raw("update earlier_hashes set written_until = 0, long_written_until = 0");
    const later = await start();
    try {
      const next = message(relay, devices.recipient.address);
      for (const one of [...fixture.sent, next, next]) expect((await repeat(one, later)).status).toBe(202);
      expect(await queued()).toEqual([...kept(), next.message_id]);
      expect(await storedForms(next.message_id)).toEqual([1, 0, 0]);
    } finally {
      await later.stop();
    }
  });

  /** The statements by which the flush of that version stores one message. */
  async function storeAsBefore(body: ReturnType<typeof message>, key: Buffer): Promise<void> {
    const { sender, recipient } = devices;
    await database.db.transaction(async (trx) => {
      const now = clock.nowSeconds();
      await rows(trx, "insert into deduplication (key, expires_on) values (:key, :expiresOn)", {
        ...{ key, expiresOn: Math.ceil(now / 86_400) + 30 },
      });
      await rows(
        trx,
        `update mailboxes set window_started_at = :now::bigint, window_count = window_count + 1, window_limit = 10,
                messages_sent = messages_sent + 1
         where device_id = :deviceId`,
        { now, deviceId: sender.deviceId },
      );
      const [queue] = await rows<{ last_position: number }>(
        trx,
        `update mailboxes set messages_received = messages_received + 1, last_position = last_position + 1,
                last_received_at = :now::bigint, queued_messages = queued_messages + 1, queued_bytes = queued_bytes + 64
         where device_id = :deviceId
         returning last_position`,
        { now, deviceId: recipient.deviceId },
      );
      await rows(
        trx,
        `insert into messages (
           device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at, system_event)
         values (:deviceId, :position, :messageId, :ciphertext, :signature, :now, :now, :now::bigint + 86400, null)`,
        {
          ...{ deviceId: recipient.deviceId, position: queue?.last_position ?? 0, messageId: body.message_id, now },
          ...{ ciphertext: randomBytes(64), signature: body.sender_signature },
        },
      );
    });
  }
});
