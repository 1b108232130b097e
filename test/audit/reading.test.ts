import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuditService } from "../../src/audit/service.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

const day = 86_400;
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;
let db: Database;

type Query = Record<string, string | number>;

async function list(query: Query = {}) {
  return demand(await call(relay, "listAuditEntries", { token: admin.token, query })).body;
}

async function verify(reason: string): Promise<void> {
  demand(await call(relay, "verifyDevice", { token: admin.token, body: { device_id: device.deviceId, reason } }));
}

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({ adminAuditQueriesPerHour: 60 }));
  device = await newDevice(relay);
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const lastDigitOther = (id: string): string => (id.endsWith("0") ? "1" : "0");

describe("the audit log", () => {
  it("shows an administrator's actions with address and details", async () => {
    await verify("a known bot");
    const { entries } = await list({ action: "device_verified" });
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^audit_[0-9a-f]{32}$/),
        timestamp: expect.any(Number),
        action: "device_verified",
        admin: admin.deviceId,
        target: device.deviceId,
        details: expect.objectContaining({ reason: "a known bot" }),
        ip_address: "127.0.0.1",
        user_agent: "node",
      },
    ]);
  });

  it("is filtered by action, administrator and target, in either spelling, and by all together", async () => {
    const other = await logIn(relay, admin);
    demand(await call(relay, "logoutAdmin", { token: other.token }));
    expect((await list({ action: "admin_logout" })).entries.map(({ admin: by }) => by)).toEqual([admin.deviceId]);
    const byKey = await list({ admin: admin.publicKey.toUpperCase() });
    expect(byKey.total_count).toBe((await list({ admin: admin.deviceId })).total_count);
    expect(byKey.entries.every(({ admin: by }) => by === admin.deviceId)).toBe(true);
    for (const target of [device.deviceId, device.publicKey]) {
      expect((await list({ target })).entries.map(({ action }) => action)).toEqual(["device_verified"]);
    }
    expect((await list({ action: "admin_login", target: device.deviceId })).total_count).toBe(0);
    expect((await list({ action: "admin_login", admin: admin.deviceId })).total_count).toBeGreaterThan(0);
    expect((await list({ action: "clock_accepted" })).entries).toEqual([]);
  });

  it("is filtered by the beginning of an administrator's id and of a target", async () => {
    const byAdmin = await list({ admin_prefix: admin.deviceId.slice(0, 8) });
    expect(byAdmin.total_count).toBe((await list({ admin: admin.deviceId })).total_count);
    expect(
      (await list({ admin_prefix: `${admin.deviceId.slice(0, 63)}${lastDigitOther(admin.deviceId)}` })).entries,
    ).toEqual([]);
    const [target, all] = [await list({ target_prefix: device.deviceId.slice(0, 8) }), await list()];
    expect(target.entries.map(({ action }) => action)).toEqual(["device_verified"]);
    expect(all.total_count).toBeGreaterThan(target.total_count);
    // A beginning is taken as it is written, whatever means something in a pattern.
    expect((await list({ target_prefix: "%" })).entries).toEqual([]);
    const refused = await call(relay, "listAuditEntries", { token: admin.token, query: { admin_prefix: "xyz" } });
    expect(refused.status).toBe(400);
  });

  it("is refused for an action that is never recorded, and so is its export", async () => {
    const sending = { token: admin.token, query: { action: "no_such_action" } };
    const listed = await call(relay, "listAuditEntries", sending);
    const exported = await call(relay, "exportAuditEntries", sending);
    for (const { status, body } of [listed, exported]) {
      expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 400, error: "INVALID_REQUEST" });
    }
  });

  it("comes in pages, newest first, each entry once, with the total on each page", async () => {
    for (let i = 0; i < 5; i++) await verify(`again ${i}`);
    const until = relay.clock.nowSeconds();
    const seen: string[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list({ action: "device_verified", until, limit: 4, offset });
      expect(page.total_count).toBe(6);
      expect(page.has_more).toBe(page.next_offset !== null);
      seen.push(...page.entries.map(({ id }) => id));
      offset = page.next_offset;
    }
    expect(seen).toHaveLength(6);
    expect(seen).toEqual([...new Set(seen)].toSorted().reverse());
    expect(await list({ action: "device_verified", offset: 100 })).toMatchObject({
      has_more: false,
      next_offset: null,
    });
  });

  it("goes back 24 hours by default, both ends included", async () => {
    const [entry] = (await list({ action: "device_verified" })).entries;
    const at = entry?.timestamp as number;
    relay.clock.advance(2 * day);
    admin = await logIn(relay, admin);
    expect((await list({ action: "device_verified" })).total_count).toBe(0);
    expect((await list({ action: "device_verified", since: 0 })).total_count).toBe(6);
    const exactly = await list({ action: "device_verified", since: at, until: at });
    expect(exactly.entries.every(({ timestamp }) => timestamp === at)).toBe(true);
    expect(exactly.total_count).toBeGreaterThan(0);
    expect((await list({ action: "device_verified", since: at + 1 })).total_count).toBe(0);
  });

  it.each([
    { limit: 0 },
    { limit: 1001 },
    { limit: "many" },
    { offset: -1 },
    { since: "yesterday" },
    { admin: "somebody" },
    { action: "DROP TABLE" },
    { page: 2 },
  ] as Query[])("refuses %j", async (query) => {
    const answer = await call(relay, "listAuditEntries", { token: admin.token, query });
    expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("the export", () => {
  /** As an act leaves it, with texts that do harm where a spreadsheet or a parser believes them. */
  const nasty = [
    { target: '=HYPERLINK("http://evil.example","click")', reason: "formula" },
    { target: "+1+2", reason: "plus" },
    { target: "-2+3", reason: "minus" },
    { target: "@SUM(A1)", reason: "at" },
    { target: "\tcmd", reason: "tab" },
    { target: 'a "quoted", cell\r\nin two lines', reason: "quotes" },
    { target: "ünïcode ☃", reason: "text" },
  ];
  const action = "federation_blocked";

  beforeAll(async () => {
    const audit = createAuditService({ clock: relay.clock, random: createSystemRandom() });
    for (const { target, reason } of nasty) {
      const by = { admin: admin.deviceId, ipAddress: "203.0.113.7", userAgent: null };
      await audit.record(db, { ...by, action, target, details: { reason } });
      relay.clock.advance(1);
    }
  });

  async function download(query: Query) {
    const answer = demand(await call(relay, "exportAuditEntries", { token: admin.token, query }));
    return { headers: answer.headers, text: (answer.body as unknown as { text: string }).text, body: answer.body };
  }

  it("is CSV by default, with the columns of the contract and a name for the file", async () => {
    const { headers, text } = await download({ action });
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="audit-\d+-\d+\.csv"$/);
    const [head, ...records] = parseCsv(text);
    expect(head).toEqual(["id", "timestamp", "action", "admin", "target", "details", "ip_address"]);
    expect(records).toHaveLength(nasty.length);
    expect(records.every((cells) => cells.length === 7)).toBe(true);
    const { entries } = await list({ action });
    const times = entries.map(({ timestamp }) => new Date(1000 * timestamp).toISOString().replace(".000Z", "Z"));
    expect(records.map(([, time]) => time)).toEqual(times.toReversed());
    expect(records.map((cells) => JSON.parse(cells[5] ?? "").reason)).toEqual(nasty.map(({ reason }) => reason));
  });

  it("has no cell that a spreadsheet would evaluate", async () => {
    const cells = parseCsv((await download({ action })).text).flat();
    expect(cells.filter((cell) => /^[=+\-@\t\r\n]/.test(cell))).toEqual([]);
    expect(cells).toContain(`'${nasty[0]?.target}`);
    expect(cells).toContain(nasty[5]?.target);
    expect(cells).toContain(nasty[6]?.target);
  });

  it("is JSON on request, with unchanged values", async () => {
    const { headers, body } = await download({ action, format: "json" });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    const { entries } = body as unknown as { entries: { target: string; user_agent: null }[] };
    expect(entries.map(({ target }) => target)).toEqual(nasty.map(({ target }) => target));
    const page = await list({ action });
    expect(entries.toReversed()).toEqual(page.entries);
  });

  it("without any entry is a head alone, or an empty list", async () => {
    expect((await download({ action: "clock_accepted" })).text).toBe(
      "id,timestamp,action,admin,target,details,ip_address\r\n",
    );
    expect((await download({ action: "clock_accepted", format: "json" })).body).toEqual({ entries: [] });
  });

  it("counts against the same limit as queries do", async () => {
    let answer = await call(relay, "exportAuditEntries", { token: admin.token, query: { action: "clock_accepted" } });
    for (let i = 0; i < 60 && answer.status === 200; i++) {
      answer = await call(relay, "exportAuditEntries", { token: admin.token, query: { action: "clock_accepted" } });
    }
    expect([answer.status, answer.body.error, answer.body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 60]);
    expect((await call(relay, "listAuditEntries", { token: admin.token })).status).toBe(429);
  });
});

/** Reads RFC 4180. */
function parseCsv(text: string): string[][] {
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, raw = "", end] of text.matchAll(cell)) {
    record.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}
