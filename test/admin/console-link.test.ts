import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type AdminKeys, adminKeys } from "../support/admin.js";
import { call } from "../support/api.js";
import { runHere } from "../support/command.js";
import { demand } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const linkSeconds = 300;
const unknownCode = "A".repeat(43);

let relay: TestRelay;
let run: (...args: string[]) => ReturnType<typeof runHere>;
const all: AdminKeys = adminKeys("all");
const viewer: AdminKeys = adminKeys("view_metrics");

beforeAll(async () => {
  relay = await startRelay({ adminList: [all, viewer].map(({ seed }) => seed).join(",") });
  const env = { DATABASE_URL: relay.databaseUrl, DOMAIN: "relay.test", BASE_URL: "http://relay.test" };
  run = (...args) => runHere(args, env);
});
afterAll(() => relay.stop());

const listed = async ({ token }: { token: string }) =>
  demand(await call(relay, "listAdminSessions", { token })).body.sessions;
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

describe("mls-relay console", () => {
  const makeLink = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("console", "--json", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as { url: string; device_id: string; expires_at: number };
  };
  const codeOf = ({ url }: { url: string }) =>
    /^http:\/\/relay\.test\/console\/#\/link\?code=([\w-]{43})$/.exec(url)?.[1];
  const redeem = (code: string | undefined) => call(relay, "loginWithLink", { body: { code } });

  test("prints a link and a QR code", async () => {
    const { code, stdout } = await run("console");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/relay\.test\/console\/#\/link\?code=[\w-]{43}\n/);
    expect(stdout).toMatch(/[▀▄█]{5}/);
    expect((await run("console", "--no-qr")).stdout).not.toMatch(/[▀▄█]/);
  });

  test("the link begins one session in the name of the administrator, and is kept as a hash only", async () => {
    const link = await makeLink("--as", viewer.deviceId);
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const stored = await db.rows<{ row: string }>("select t::text as row from admin_links as t");
    await db.close();
    expect(JSON.stringify(stored)).not.toContain(codeOf(link));
    const { body } = demand(await redeem(codeOf(link)));
    expect(body).toMatchObject({ device_id: viewer.deviceId, permissions: ["view_metrics"], admin_level: "viewer" });
    expect(await works({ token: body.admin_token })).toBe(200);
    expect(await listed({ token: body.admin_token })).toContainEqual(
      expect.objectContaining({ method: "link", current: true }),
    );
    expect(await redeem(codeOf(link))).toMatchObject({ status: 410, body: { error: "CHALLENGE_EXPIRED" } });
    expect(await audit("admin_link_created")).toContainEqual(
      expect.objectContaining({ admin: null, target: viewer.deviceId }),
    );
    expect((await audit("admin_login")).at(-1)).toMatchObject({ admin: viewer.deviceId, details: { method: "link" } });
  });

  test("the link is of the longest-serving administrator, and good for five minutes", async () => {
    const link = await makeLink();
    expect(link.device_id).toBe((await run("admin", "list")).stdout.slice(0, 64));
    relay.clock.advance(2 * linkSeconds);
    expect(await redeem(codeOf(link))).toMatchObject({ status: 410, body: { error: "CHALLENGE_EXPIRED" } });
    expect(await redeem(unknownCode)).toMatchObject({ status: 410, body: { error: "CHALLENGE_EXPIRED" } });
    expect(await redeem("short")).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
  });

  test("is made for administrators on the list only", async () => {
    expect(await run("console", "--as", "0".repeat(64))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no such administrator"),
    });
  });
});
