import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newReportableId } from "../../src/protocol/report-handles.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import { report, type SpamFixture, sendAndReport, startSpamFixture, told } from "./fixture.js";

const untouched = { spam_reports: 0, spam_reports_by_device: 0, blocked_at: null, banned_until: null };

let relay: SpamFixture;
let sender: TestDevice;
let reporter: TestDevice;

beforeAll(async () => {
  relay = await startSpamFixture();
});
afterAll(() => relay.stop());

const freshPair = async () => {
  [sender, reporter] = [await relay.device(), await relay.device()];
};
const message = async (from: TestDevice, to: TestDevice) => demand(await from.send(to.address)).body.message_id;

describe("a report of a message that the device sent", () => {
  beforeAll(freshPair);

  it("is recorded, counted for both devices, and audited without the reporter", async () => {
    const before = relay.clock.nowSeconds();
    const { body } = await sendAndReport(relay, sender, reporter);
    expect(body.action_taken).toBe("recorded");
    expect(body.report_id).toMatch(/^[0-9a-f-]{14}4[0-9a-f-]{21}$/);
    expect(body.reported_at).toBeGreaterThanOrEqual(before);
    expect(await relay.stateOf(sender)).toEqual({ ...untouched, spam_reports: 1 });
    expect(await relay.stateOf(reporter)).toEqual({ ...untouched, spam_reports_by_device: 1 });
    const noted = await relay.auditOf(sender.deviceId);
    expect(noted).toEqual([
      { action: "spam_reported", details: { reason: "spam", reporters: 1, score: 0.5, flagged: false } },
    ]);
    const rows = await relay.db.rows<AnyRow>("select a::text as row from audit_entries as a");
    expect(JSON.stringify(rows)).not.toContain(reporter.deviceId);
  });

  it("may spell the device by its public key, in capitals, and the message without hyphens", async () => {
    const spelled = [sender.publicKey, sender.publicKey.toUpperCase(), sender.deviceId.toUpperCase()];
    for (const [i, spelling] of spelled.entries()) {
      const messageId = (await message(sender, reporter)).replaceAll("-", "").toUpperCase();
      demand(await report(relay, reporter, { messageId, sender: spelling }));
      expect((await relay.stateOf(sender)).spam_reports).toBe(2 + i);
    }
  });

  it("may come after the message was acknowledged, and after the address that it came to has lapsed", async () => {
    const messageId = await message(sender, reporter);
    await reporter.ack([messageId]);
    const { spam_reports: before } = await relay.stateOf(sender);
    relay.clock.advance(25 * 3600);
    await reporter.announce();
    demand(await report(relay, reporter, { messageId, sender: sender.deviceId }));
    expect((await relay.stateOf(sender)).spam_reports).toBe(before + 1);
    await sender.announce();
  });

  it("of every reason is taken, with or without details", async () => {
    for (const reason of ["spam", "harassment", "impersonation", "malware", "illegal_content", "other"]) {
      const messageId = await message(sender, reporter);
      demand(await report(relay, reporter, { messageId, sender: sender.deviceId, reason, details: "Ünerwünscht\n" }));
    }
  });
});

it("a reason counts in either case, and an unknown one as `other`, with its text before the details", async () => {
  await freshPair();
  const reports = [{ reason: "SPAM" }, { reason: "phishing" }, { reason: "Phishing", details: "A link to a bank." }];
  for (const about of reports) {
    const messageId = await message(sender, reporter);
    demand(await report(relay, reporter, { messageId, sender: sender.deviceId, ...about }));
  }
  const sql = "select reason, details from spam_reports where reported = :deviceId order by reason, length(details)";
  expect(await relay.db.rows<AnyRow>(sql, { deviceId: sender.deviceId })).toEqual([
    { reason: "other", details: "phishing" },
    { reason: "other", details: "Phishing\nA link to a bank." },
    { reason: "spam", details: null },
  ]);
});

describe("a report of the same message", () => {
  beforeAll(freshPair);

  it("is answered with the first report and not counted again", async () => {
    const messageId = await message(sender, reporter);
    const first = demand(await report(relay, reporter, { messageId, sender: sender.deviceId }));
    relay.clock.advance(100);
    const again = { messageId: messageId.replaceAll("-", ""), sender: sender.publicKey, reason: "malware" };
    const second = demand(await report(relay, reporter, again));
    expect(second.body).toEqual(first.body);
    expect((await relay.stateOf(sender)).spam_reports).toBe(1);
    expect((await relay.stateOf(reporter)).spam_reports_by_device).toBe(1);
    expect(await relay.auditOf(sender.deviceId)).toHaveLength(1);
  });

  it("is recorded once when many come at once", async () => {
    const messageId = await message(sender, reporter);
    const { spam_reports: before } = await relay.stateOf(sender);
    const about = { messageId, sender: sender.deviceId };
    const answers = await Promise.all(Array.from({ length: 12 }, () => report(relay, reporter, about)));
    expect(new Set(answers.map(({ body }) => body.report_id)).size).toBe(1);
    expect((await relay.stateOf(sender)).spam_reports).toBe(before + 1);
  });

  it("by another recipient of it is another report", async () => {
    const other = await relay.device();
    const messageId = relay.freshId();
    for (const to of [reporter, other]) demand(await sender.send(to.address, { messageId }));
    const { spam_reports: before } = await relay.stateOf(sender);
    for (const by of [reporter, other]) demand(await report(relay, by, { messageId, sender: sender.deviceId }));
    expect((await relay.stateOf(sender)).spam_reports).toBe(before + 2);
  });
});

describe("a report that cannot be verified", () => {
  beforeAll(freshPair);

  /** Sends a message whose id commits to a handle. */
  const committed = async (handle: Uint8Array) => {
    const messageId = newReportableId(relay.clock.nowMillis(), handle);
    demand(await sender.send(reporter.address, { messageId }));
    return { by: reporter, messageId, sender: sender.deviceId };
  };
  type Attempt = { by: TestDevice; messageId: string; sender: string; handle?: Uint8Array };
  const unverified: [string, () => Promise<Attempt>][] = [
    [
      "of a message that never was",
      async () => ({ by: reporter, messageId: relay.freshId(), sender: sender.deviceId }),
    ],
    [
      "of a message to somebody else",
      async () => ({ by: await relay.device(), messageId: await message(sender, reporter), sender: sender.deviceId }),
    ],
    [
      "of a message of another sender",
      async () => ({ by: reporter, messageId: await message(await relay.device(), reporter), sender: sender.deviceId }),
    ],
    [
      "of a device by itself",
      async () => ({ by: sender, messageId: await message(sender, sender), sender: sender.deviceId }),
    ],
    ["of a message with a handle, without it", () => committed(randomBytes(16))],
    [
      "of a message with a handle, with another",
      async () => ({ ...(await committed(randomBytes(16))), handle: randomBytes(16) }),
    ],
  ];
  it.each(unverified)("(%s) is answered alike and has no consequence", async (_, prepare) => {
    const { by, messageId, ...about } = await prepare();
    const answer = demand(await report(relay, by, { messageId, ...about }));
    expect(Object.keys(answer.body)).toEqual(["report_id", "reported_at", "action_taken"]);
    const again = demand(await report(relay, by, { messageId, ...about }));
    expect(again.body).toEqual(answer.body);
    for (const device of [sender, by]) expect(await relay.stateOf(device)).toEqual(untouched);
    for (const { details } of await relay.auditOf(sender.deviceId)) expect(details).toMatchObject({ verified: false });
  });

  it("is audited apart, less and less often", async () => {
    const entries = (await relay.auditOf(sender.deviceId)).map(({ action, details }) => ({ action, ...details }));
    const entry = { action: "spam_reported", reason: "spam", verified: false };
    expect(entries).toEqual([1, 2, 4].map((unverified_reports) => ({ ...entry, unverified_reports })));
  });

  it("is deleted after the metadata retention time; one that counts stays", async () => {
    const messageId = relay.freshId();
    const first = demand(await report(relay, reporter, { messageId, sender: sender.deviceId }));
    await sendAndReport(relay, sender, reporter);
    const byStatus = async () => {
      const sql =
        "select status, count(*) as n from spam_reports where reported = :deviceId group by status order by status";
      return await relay.db.rows<AnyRow>(sql, { deviceId: sender.deviceId });
    };
    expect(await byStatus()).toEqual([
      { status: "unverified", n: 7 },
      { status: "verified", n: 1 },
    ]);
    for (let days = 0; days < 31; days += 10) {
      relay.clock.advance(10 * 86_400);
      for (const device of [sender, reporter]) await device.announce();
    }
    await expect.poll(byStatus).toEqual([{ status: "verified", n: 1 }]);
    const later = demand(await report(relay, reporter, { messageId, sender: sender.deviceId }));
    expect(later.body.report_id).not.toBe(first.body.report_id);
  });
});

it("of a message whose id commits to a handle counts with the handle", async () => {
  await freshPair();
  const handle = randomBytes(16);
  const messageId = newReportableId(relay.clock.nowMillis(), handle);
  demand(await sender.send(reporter.address, { messageId }));
  demand(await report(relay, reporter, { messageId, sender: sender.deviceId, handle }));
  expect((await relay.stateOf(sender)).spam_reports).toBe(1);
});

describe("a report is refused", () => {
  beforeAll(freshPair);

  it("about an unknown device", async () => {
    const about = { messageId: relay.freshId(), sender: randomBytes(32).toString("hex") };
    expect(told(await report(relay, reporter, about))).toEqual([404, "DEVICE_NOT_FOUND", 4014]);
    const rows = await relay.db.rows<AnyRow>("select 1 from spam_reports where reported = :sender", {
      sender: about.sender,
    });
    expect(rows).toEqual([]);
  });

  it("without a token", async () => {
    const answer = await call(relay, "reportSpam", { body: {} });
    expect(told(answer)).toEqual([401, "INVALID_TOKEN", 4008]);
  });

  const wrong: [string, object][] = [
    ["an empty reason", { reason: "" }],
    ["a reason of 201 characters", { reason: "x".repeat(201) }],
    ["no reason", { reason: undefined }],
    ["an id that is no UUIDv7", { message_id: "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52" }],
    ["a device id that is too short", { sender_id: "ab" }],
    ["details that are too long", { details: "x".repeat(1001) }],
    ["a handle that is too short", { report_handle: "AAAA" }],
    ["details with U+0000", { details: "\u0000" }],
    ["a member that the contract does not name", { comment: "" }],
  ];
  it.each(wrong)("with %s", async (_, changes) => {
    const body = { message_id: relay.freshId(), sender_id: sender.deviceId, reason: "spam", ...changes };
    const answer = await call(relay, "reportSpam", { token: reporter.token, body });
    expect(told(answer)).toEqual([400, "INVALID_REQUEST", 4000]);
  });
});

describe("the stored reports", () => {
  it("names neither reporters nor messages", async () => {
    await freshPair();
    const messageId = await message(sender, reporter);
    const about = { messageId, sender: sender.deviceId, details: "They wrote this." };
    demand(await report(relay, reporter, about));
    const rows = await relay.db.rows<AnyRow>(
      "select r::text as row from spam_reports as r where reported = :deviceId",
      { deviceId: sender.deviceId },
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].row).toContain("They wrote this.");
    for (const trace of [reporter.deviceId, reporter.publicKey, messageId, messageId.replaceAll("-", "")]) {
      expect(rows[0].row).not.toContain(trace);
    }
  });
});
