import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type AdminKeys, adminKeys, logIn, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const tokenSeconds = 3_600;

let relay: TestRelay;
let admin: TestAdmin;
let second: TestAdmin;
const all: AdminKeys = adminKeys("all");
const viewer: AdminKeys = adminKeys("view_metrics");

beforeAll(async () => {
  relay = await startRelay({ adminList: [all, viewer].map(({ seed }) => seed).join(",") });
  [admin, second] = [await logIn(relay, all), await logIn(relay, viewer)];
});
afterAll(() => relay.stop());

const listed = async ({ token }: { token: string }) =>
  demand(await call(relay, "listAdminSessions", { token })).body.sessions;
const end = ({ token }: { token: string }, session_id: string) =>
  call(relay, "endAdminSession", { token, params: { session_id } });
const works = async ({ token }: { token: string }) => (await call(relay, "getConfig", { token })).status;
const audit = async (action: string) => {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  try {
    const sql = "select admin, target, details from audit_entries where action = :action::text order by id";
    return await db.rows<{ admin: string | null; target: string; details: object }>(sql, { action });
  } finally {
    await db.close();
  }
};

describe("the sessions of administrators", () => {
  test("are listed to who has `all`; others see their own", async () => {
    const everyone = await listed(admin);
    expect(everyone.map(({ device_id }) => device_id).sort()).toEqual([all.deviceId, viewer.deviceId].sort());
    expect(everyone.filter(({ current }) => current)).toMatchObject([{ device_id: all.deviceId, method: "key" }]);
    expect(await listed(second)).toMatchObject([{ device_id: viewer.deviceId, current: true }]);
  });

  test("end by the hand of their owner or of who has `all`, with an entry in the audit log", async () => {
    const [own] = await listed(second);
    const third = await logIn(relay, viewer);
    const foreign = (await listed(admin)).find(({ current }) => current)?.session_id ?? "";
    expect(await end(second, foreign)).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
    expect(await works(admin)).toBe(200);
    demand(await end(third, own?.session_id ?? ""));
    await expect.poll(() => works(second)).toBe(401);
    const [left] = await listed(third);
    demand(await end(admin, left?.session_id ?? ""));
    await expect.poll(() => works(third)).toBe(401);
    expect(await end(admin, left?.session_id ?? "")).toMatchObject({ status: 404 });
    expect(await audit("admin_session_ended")).toMatchObject([
      { admin: viewer.deviceId, target: viewer.deviceId },
      { admin: all.deviceId, target: viewer.deviceId },
    ]);
  });

  test("stay in the list as long as they are renewed, and leave it by logging out or with their last token", async () => {
    const session = await logIn(relay, viewer);
    const [before] = await listed(session);
    relay.clock.advance(60);
    const { admin_token: token } = demand(await call(relay, "refreshAdminToken", { token: session.token })).body;
    const [after] = await listed({ token });
    expect(after?.session_id).toBe(before?.session_id);
    expect(after?.expires_at).toBeGreaterThan(before?.expires_at ?? 0);
    demand(await call(relay, "logoutAdmin", { token }));
    await logIn(relay, viewer);
    expect((await listed(admin)).filter(({ device_id }) => device_id === viewer.deviceId)).toHaveLength(1);
    relay.clock.advance(tokenSeconds + 1);
    admin = await logIn(relay, all);
    expect(await listed(admin)).toMatchObject([{ device_id: all.deviceId, current: true }]);
  });
});
