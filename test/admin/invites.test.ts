import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { adminKeys, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { announcement } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let admin: TestAdmin;
let db: Database;
const day = 86_400;

beforeAll(async () => {
  const seeds = { SEED_REGISTRATION_MODE: "invite_only" };
  ({ relay, admin } = await startAdministered({ seeds, adminTokenSeconds: day }, ["verify_devices"]));
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const create = (body: object = {}) => call(relay, "createInvite", { token: admin.token, body });
const list = async (query: Record<string, number> = {}) =>
  (await call(relay, "listInvites", { token: admin.token, query })).body;
const revoke = (invite_id: string) => call(relay, "revokeInvite", { token: admin.token, params: { invite_id } });
const register = (invite_code: string) =>
  call(relay, "announceWithProof", { body: announcement(relay, adminKeys(), { invite_code }) });
const lastEntry = () => tableOf(db, "audit_entries").orderBy("id", "desc").first();

describe("an invite", () => {
  test("registers the number of devices that it names, and is listed with its uses", async () => {
    const expires_at = relay.clock.nowSeconds() + day;
    const { status, body, headers } = await create({ max_uses: 2, expires_at });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(body).toMatchObject({ max_uses: 2, expires_at, domain: "relay.test", created_by: admin.deviceId });
    const { invite_code, invite_handle = "", ...made } = body;
    const answers = await Promise.all([invite_code, invite_handle, invite_code, invite_handle].map(register));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 403, 403]);
    const { invites } = await list();
    expect(invites[0]).toEqual({ ...made, uses: 2, revoked_at: null });
    for (const secret of [invite_code, invite_handle]) expect(JSON.stringify(invites)).not.toContain(secret);
  });

  test("is valid once and for seven days by default", async () => {
    const { body } = await create();
    expect(body.max_uses).toBe(1);
    expect(body.expires_at - body.created_at).toBe(7 * day);
  });

  test("is recorded when it is made, without its code", async () => {
    const { body } = await create({ max_uses: 3 });
    const entry = await lastEntry();
    expect(entry).toMatchObject({
      action: "invite_created",
      admin: admin.deviceId,
      target: body.invite_id,
      details: { max_uses: 3, expires_at: body.expires_at, domain: "relay.test" },
      ip_address: "127.0.0.1",
    });
    for (const secret of [body.invite_code, body.invite_handle]) expect(JSON.stringify(entry)).not.toContain(secret);
  });

  test("is void once it is revoked; revoking it again answers the same and is not recorded again", async () => {
    const { body } = await create({ max_uses: 5 });
    expect((await register(body.invite_code)).status).toBe(200);
    const revoked = await revoke(body.invite_id);
    expect(revoked.status).toBe(200);
    expect(revoked.body).toEqual({ invite_id: body.invite_id, revoked_at: expect.any(Number) });
    const entry = await lastEntry();
    expect(entry).toMatchObject({ action: "invite_revoked", target: body.invite_id });
    relay.clock.advance(5);
    expect((await revoke(body.invite_id)).body).toEqual(revoked.body);
    expect(await lastEntry()).toEqual(entry);
    const refused = await register(body.invite_code);
    expect([refused.status, refused.body.error]).toEqual([403, "REGISTRATION_CLOSED"]);
    const shown = (await list()).invites.find(({ invite_id }) => invite_id === body.invite_id);
    expect(shown).toMatchObject({ uses: 1, revoked_at: revoked.body.revoked_at });
  });

  test("that is unknown or has expired cannot be revoked, and leaves the list", async () => {
    const { body } = await create({ expires_at: relay.clock.nowSeconds() + 60 });
    expect((await revoke("7a3c1e5d-2b4f-4c6a-9d8e-0f1a2b3c4d5e")).body.error).toBe("NOT_FOUND");
    relay.clock.advance(61);
    expect((await revoke(body.invite_id)).body.error).toBe("NOT_FOUND");
    expect((await list()).invites.map(({ invite_id }) => invite_id)).not.toContain(body.invite_id);
    expect((await register(body.invite_code)).status).toBe(403);
  });

  test("can be made for another server, and cannot be used here then", async () => {
    const { body } = await create({ domain: "Other.Example." });
    expect(body.domain).toBe("other.example");
    expect((await register(body.invite_code)).body.error).toBe("REGISTRATION_CLOSED");
  });

  test.each([
    ["no uses", { max_uses: 0 }, 4000],
    ["too many uses", { max_uses: 10_001 }, 4000],
    ["an end in the past", { expires_at: 1 }, 4000],
    ["an end too far ahead", { expires_at: 4_000_000_000 }, 4000],
    ["a malformed domain", { domain: "no domain" }, 4005],
    ["an IP address for a domain", { domain: "127.0.0.1" }, 4005],
    ["an unknown member", { uses: 3 }, 4000],
  ])("is not made with %s", async (_, body, code) => {
    const before = (await list()).total_count;
    const answer = await create(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect((await list()).total_count).toBe(before);
  });
});

test("invites are listed page by page, the youngest first", async () => {
  for (let i = 0; i < 3; i++) {
    relay.clock.advance(1);
    await create();
  }
  const { invites, total_count } = await list();
  expect(invites.length).toBe(total_count);
  const times = invites.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect((await list({ limit: 2, offset: 1 })).invites).toEqual(invites.slice(1, 3));
  expect((await list({ limit: 2, offset: 1 })).total_count).toBe(total_count);
});
