import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as windows from "../../src/messages/ingest/limits/sending-windows-store.js";
import { isRefused, type Outcome } from "../../src/messages/model/types.js";
import type { AnyRow } from "../support/any-row.js";
import { holdTransaction } from "../support/held-transaction.js";
import { tableOf } from "../support/table.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

let fixture: MessagesFixture;
let node: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture({ storage: { message_queue_limit: 3 } });
  node = await fixture.node();
});
afterAll(() => fixture.stop());

const from = ({ deviceId }: FixtureDevice) => ({ kind: "device", deviceId }) as const;
const nameOf = (outcome: Outcome) => (isRefused(outcome) ? outcome.error : outcome.status);
/** Sends one message to each of these, all at once, and returns the outcomes. */
const send = async (sender: FixtureDevice, recipients: readonly FixtureDevice[], at = node) =>
  (
    await at.messages.accept(
      from(sender),
      recipients.map((one) => fixture.envelope(one)),
    )
  ).map(nameOf);
const devices = (count: number) => Promise.all(Array.from({ length: count }, () => fixture.device()));
/** A device that may send this many messages. */
const limitedTo = (limit: number) => fixture.device({ custom_limit: limit });
const windowOf = async ({ deviceId }: FixtureDevice) =>
  (await tableOf(fixture.db, "sending_windows").where({ device_id: deviceId }).first()) as
    | Record<string, unknown>
    | undefined;
/** The number of messages that the device may still send, found out by sending them. */
async function left(sender: FixtureDevice, max: number): Promise<number> {
  return (await send(sender, await devices(max))).filter((one) => one === "queued").length;
}

describe("not counted against a sender's limit is", () => {
  it("a message that a full queue refuses", async () => {
    const [sender, full] = [await limitedTo(8), await fixture.device()];
    expect(
      await send(
        sender,
        Array.from({ length: 7 }, () => full),
      ),
    ).toEqual([...["queued", "queued", "queued"], ...["QUEUE_FULL", "QUEUE_FULL", "QUEUE_FULL", "QUEUE_FULL"]]);
    expect(await send(sender, [full])).toEqual(["QUEUE_FULL"]);
    expect(await left(sender, 8)).toBe(5);
  });

  it("a message that cannot be stored", async () => {
    const [sender, recipient] = [await limitedTo(2), await fixture.device()];
    await fixture.db.run("alter table messages add constraint no_such check (sender_signature <> 'unstorable')");
    const bad = fixture.envelope(recipient, { senderSignature: "unstorable" });
    for (let i = 0; i < 4; i++) {
      expect((await node.messages.accept(from(sender), [bad])).map(nameOf)).toEqual(["INTERNAL"]);
    }
    await fixture.db.run("alter table messages drop constraint no_such");
    expect(await left(sender, 3)).toBe(2);
  });

  it("a repetition, even if it comes with new messages or through another node at once", async () => {
    const other = await fixture.node();
    const [sender, recipient, second] = [await limitedTo(10), ...(await devices(2))] as [
      FixtureDevice,
      FixtureDevice,
      FixtureDevice,
    ];
    const first = fixture.envelope(recipient);
    const answers = await Promise.all(
      [node, other, node, other].map(({ messages }) =>
        messages.accept(from(sender), [first, fixture.envelope(second)]),
      ),
    );
    const names = answers.flat().map(nameOf);
    expect(names.filter((name) => name === "duplicate")).toHaveLength(3);
    // Its first time, three that the second recipient's queue held, and the one that was one too many for it.
    expect(names.filter((name) => name === "queued")).toHaveLength(4);
    expect(names.filter((name) => name === "QUEUE_FULL")).toHaveLength(1);
    expect(await windowOf(sender)).toMatchObject({ count: 4, misses_count: 3, sent: 4 });
    expect(await left(sender, 10)).toBe(6);
  });

  it("a message during which the connection to the database broke, if it was not stored", async () => {
    const own = await fixture.node();
    const [sender, recipient] = [await limitedTo(3), await fixture.device()];
    const lock = await holdTransaction(fixture.db);
    await lock.run("lock table messages in access exclusive mode");
    const sending = send(sender, [recipient], own);
    for (;;) {
      const rows = await fixture.db.rows<AnyRow>(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      );
      if (rows.length > 0) break;
    }
    await lock.rollback();
    expect(await sending).toEqual(["DATABASE_UNAVAILABLE"]);
    expect(await left(sender, 4)).toBe(3);
  });
});

describe("windows", () => {
  it("are in no log and no base backup, and start empty after a crash of the database", async () => {
    const kinds = await tableOf(fixture.db, "pg_class")
      .whereIn("relname", ["sending_windows", "recent_federation_sends"])
      .select("relpersistence");
    expect(kinds).toEqual([{ relpersistence: "u" }, { relpersistence: "u" }]);
    const sender = await limitedTo(2);
    expect(await left(sender, 3)).toBe(2);
    await fixture.db.run("truncate sending_windows");
    expect(await left(sender, 3)).toBe(2);
  });

  it("are added to totals, and what was counted since then is added on top", async () => {
    const sender = await limitedTo(5);
    await left(sender, 2);
    await node.messages.addRecentSends();
    await left(sender, 1);
    const { deviceId } = sender;
    expect(await tableOf(fixture.db, "sent_totals").where({ device_id: deviceId })).toMatchObject([{ sent: 2 }]);
    expect(await windowOf(sender)).toMatchObject({ count: 3, sent: 1 });
    await node.messages.addRecentSends();
    expect(await tableOf(fixture.db, "sent_totals").where({ device_id: deviceId })).toMatchObject([{ sent: 3 }]);
  });

  it("go with their devices", async () => {
    const sender = await limitedTo(5);
    await left(sender, 2);
    await node.messages.addRecentSends();
    await fixture.db.transaction((trx) => node.messages.forgetDevices(trx, [sender.deviceId]));
    expect(await windowOf(sender)).toBeUndefined();
    expect(await tableOf(fixture.db, "sent_totals").where({ device_id: sender.deviceId })).toEqual([]);
  });

  it("end to the second, and reading them shows what would be counted", async () => {
    const { deviceId } = await fixture.device();
    await windows.createWindows(fixture.db, [deviceId]);
    const ask = { deviceId, sends: 9, misses: 9, sendLimit: 5, missLimit: 6, windowLimit: 5, maxCarried: 2 };
    const count = async (now: number) => {
      const time = { now, windowSeconds: 100 };
      const read = await windows.readWindows(fixture.db, [ask], time);
      const [counted] = await windows.countInWindows(fixture.db, [ask], time);
      expect(read).toEqual([counted]);
      return counted;
    };
    expect(await count(1000)).toMatchObject({ granted: 5, carry: 0, started_at: 1000, misses_granted: 6 });
    expect(await count(1099)).toMatchObject({ granted: 0, started_at: 1000, misses_granted: 0 });
    expect(await count(1100)).toMatchObject({ granted: 5, carry: 0, started_at: 1100, misses_granted: 6 });
    const unused = { deviceId, startedAt: 1100, sends: 3, missesStartedAt: 1000, misses: 3 };
    await windows.giveBackToWindows(fixture.db, [unused]);
    // A grant of a window that is over is not given back to the present one.
    expect(await count(1199)).toMatchObject({ granted: 3, misses_granted: 0 });
    await windows.giveBackToWindows(fixture.db, [unused]);
    expect(await count(1200)).toMatchObject({ granted: 7, carry: 2, started_at: 1200 });
  });
});
