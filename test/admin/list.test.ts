import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type AdminList, createAdminList, type Permission, readAdminSeeds } from "../../src/admin/service.js";
import { createAuditService } from "../../src/audit/service.js";
import type { Config } from "../../src/composition/config.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { adminKeys, logIn, loginBody, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

const open: TestRelay[] = [];
let relay: TestRelay;
let other: TestRelay;
const permanent = adminKeys("all");

beforeAll(async () => {
  relay = await startRelay({ adminList: permanent.seed });
  other = await startRelay(relay.config, { clock: relay.clock });
});
afterEach(async () => {
  for (const started of open.splice(0)) await started.stop();
});
afterAll(async () => {
  await other.stop();
  await relay.stop();
});

/** Another node of the relay, which finds these variables in its environment. */
async function nodeWith(config: Partial<Config>): Promise<TestRelay> {
  const node = await startRelay({ ...relay.config, ...config }, { clock: relay.clock });
  open.push(node);
  return node;
}

/** What the command line does to the list, beside a relay that runs. */
async function onList<T>(work: (list: AdminList) => Promise<T>): Promise<T> {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const logger = createLogger({ level: "silent" });
  const poll = createSharedPoll({ db, logger, everyMillis: relay.config.settingsRefreshMillis });
  const tools = { db, clock: relay.clock, random: createSystemRandom(), logger, poll };
  try {
    return await work(createAdminList({ ...tools, audit: createAuditService(tools), seeds: async () => [] }));
  } finally {
    await db.close();
  }
}

async function newAdmin(...held: Permission[]): Promise<TestAdmin> {
  const keys = adminKeys(...held);
  await onList((list) => list.put({ publicKey: Buffer.from(keys.publicKey, "hex"), permissions: held }));
  // At once, although the list is cached.
  return logIn(relay, keys);
}

const mayRead = async (at: TestRelay, { token }: TestAdmin) => (await call(at, "getConfig", { token })).status;
const loginStatus = async (at: TestRelay, keys: Parameters<typeof loginBody>[1]) =>
  (await call(at, "loginAdmin", { body: await loginBody(at, keys) })).status;
const soon = { interval: 20 };

describe("the admin list", () => {
  test("has an administrator at once on every node, with the token of another one", async () => {
    // Nodes keep a copy of the list, which is hardly ever read between an addition and the request that follows.
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push(await mayRead(other, await newAdmin("view_audit")));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("is read from the environment once: removed admins stay removed, new ones are added", async () => {
    const [first, second] = [adminKeys("all"), adminKeys("view_audit")];
    expect(await loginStatus(await nodeWith({ adminList: first.seed }), first)).toBe(200);
    await onList((list) => list.remove(first.deviceId));
    const next = await nodeWith({ adminList: `${first.seed}, ${second.seed}` });
    expect(await loginStatus(next, first)).toBe(401);
    expect(await loginStatus(next, second)).toBe(200);
  });

  test("is read from a file too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-admins-"));
    const keys = adminKeys("manage_config");
    const file = join(folder, "admins.json");
    await writeFile(file, JSON.stringify([{ public_key: keys.publicKey, permissions: ["manage_config"] }]));
    const node = await nodeWith({ adminListFile: file });
    await rm(folder, { recursive: true });
    const { body } = await call(node, "loginAdmin", { body: await loginBody(node, keys) });
    expect(body.permissions).toEqual(["manage_config"]);
  });

  test.each([
    ["no-key=all", "64 hexadecimal"],
    [`${"00".repeat(32)}=all`, "not an acceptable Ed25519"],
    [`${permanent.publicKey}=everything`, '"everything" is not a permission'],
    [`${permanent.publicKey}=`, "no permissions"],
  ])("that reads %s is refused, and the variable is named", async (adminList, why) => {
    const problems = [expect.stringMatching(new RegExp(`^ADMIN_LIST: .*${why}`))];
    await expect(readAdminSeeds({ adminList, adminListFile: null })).rejects.toMatchObject({ problems });
  });

  test("admits a new admin, and ends a removed admin's sessions, within a second on every node", async () => {
    const admin = await newAdmin("view_metrics");
    await expect.poll(() => loginStatus(other, admin), soon).toBe(200);
    expect(await onList((list) => list.remove(admin.publicKey))).toBe(true);
    await expect.poll(() => mayRead(other, admin), soon).toBe(401);
    await expect.poll(() => mayRead(relay, admin), soon).toBe(401);
    expect(await loginStatus(relay, admin)).toBe(401);
    expect(await onList((list) => list.remove(admin.publicKey))).toBe(false);
  });

  test("grants and revokes permissions at once, for tokens already issued", async () => {
    const { token, publicKey: hex } = await newAdmin("view_metrics");
    const update = async () => (await call(other, "updateConfig", { token, body: {} })).status;
    const publicKey = Buffer.from(hex, "hex");
    await expect.poll(update, soon).toBe(403);
    await onList((list) => list.put({ publicKey, permissions: ["manage_config"] }));
    await expect.poll(update, soon).toBe(200);
    await onList((list) => list.put({ publicKey, permissions: ["view_audit"] }));
    await expect.poll(update, soon).toBe(403);
  });

  test("does not bring a removed admin's sessions back with the admin", async () => {
    const admin = await newAdmin("all");
    await onList((list) => list.remove(admin.deviceId));
    relay.clock.advance(2);
    await onList((list) => list.put({ publicKey: Buffer.from(admin.publicKey, "hex"), permissions: ["all"] }));
    await expect.poll(() => loginStatus(relay, admin), soon).toBe(200);
    await expect.poll(() => mayRead(relay, admin), soon).toBe(401);
  });

  test("is kept with a record of who was added, changed and removed", async () => {
    const keys = adminKeys("all");
    const publicKey = Buffer.from(keys.publicKey, "hex");
    await onList(async (list) => {
      await list.put({ publicKey, permissions: ["all"] });
      await list.put({ publicKey, permissions: ["view_audit"] });
      await list.remove(keys.deviceId);
    });
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const entries = await tableOf(db, "audit_entries").where({ target: keys.deviceId }).orderBy("id");
    await db.close();
    expect(entries.map(({ action, admin, details }) => [action, admin, details])).toEqual([
      ["admin_added", null, { permissions: ["all"] }],
      ["admin_permissions_changed", null, { permissions: ["view_audit"] }],
      ["admin_removed", null, {}],
    ]);
  });
});
