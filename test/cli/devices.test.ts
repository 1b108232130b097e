import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKeys } from "../support/admin.js";
import { call } from "../support/api.js";
import { type CommandResult, runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newPackages, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const masterKey = randomBytes(32).toString("hex");

let database: TestDatabase;
let relay: TestRelay;
let device: TestDevice;
let other: TestDevice;
let run: (...args: string[]) => Promise<Pick<CommandResult, "code" | "stdout" | "stderr">>;

beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test" };
  run = (...args) => runHere(args, env);
  relay = await startRelay({ databaseUrl: database.url, masterKey, adminList: adminKeys("all").seed });
  [device, other] = [await newDevice(relay), await newDevice(relay)];
});
afterAll(async () => {
  await relay.stop();
  await database.drop();
});

/** Everything in the database as text, without what says which audit entries there are. */
async function everything(): Promise<string> {
  const tables = await database.db.rows<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const texts = tables.map(async ({ name }) => {
    const found = await database.db.rows<{ row: string }>(`select t::text as row from ${name} as t`);
    return found.map(({ row }) => `${name} ${row}`).join("\n");
  });
  return (await Promise.all(texts)).join("\n");
}

const auditOf = (action: string) =>
  database.db.rows<{ target: string; admin: string | null }>(
    "select target, admin from audit_entries where action = :action::text order by id",
    { action },
  );

describe("mls-relay devices, beside a relay", () => {
  test("finds a device by its id, its key in both spellings, and its address", async () => {
    const key = Buffer.from(device.publicKey, "hex").toString("base64");
    const prefix = device.address.split("@")[0] ?? "";
    for (const spelled of [device.deviceId, device.publicKey, key, device.address, prefix]) {
      expect(await run("devices", "find", spelled)).toMatchObject({ code: 0, stdout: `${device.deviceId}\n` });
    }
    expect(await run("devices", "find", device.deviceId.slice(0, 12))).toMatchObject({
      code: 0,
      stdout: `${device.deviceId}\n`,
    });
    const unknown = await run("devices", "find", `${"0".repeat(8)}-0000-4000-8000-000000000000@relay.test`);
    expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: "mls-relay: there is no such device\n" });
  });

  test("lists and shows devices, as text and as JSON", async () => {
    const listed = await run("devices", "list");
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(other.deviceId) });
    expect(JSON.parse((await run("devices", "list", "--json")).stdout)).toHaveLength(2);
    expect(JSON.parse((await run("devices", "list", "--blocked", "--json")).stdout)).toEqual([]);
    const shown = await run("devices", "show", device.address);
    expect(shown.stdout).toMatch(/^tier +new$/m);
    const view = JSON.parse((await run("devices", "show", device.address, "--json")).stdout);
    expect(view).toMatchObject({ device_id: device.deviceId, public_key: device.publicKey });
  });

  test("blocks and unblocks a device, with audit entries", async () => {
    expect(await run("devices", "block", device.address, "--reason", "floods")).toMatchObject({ code: 0 });
    await expect.poll(async () => (await device.send(other.address)).status).toBe(429);
    expect((await run("devices", "list", "--blocked")).stdout).toContain(device.deviceId);
    expect(await run("devices", "unblock", device.address)).toMatchObject({ code: 0 });
    await expect.poll(async () => (await device.send(other.address)).status).toBe(202);
    const entry = { target: device.deviceId, admin: null };
    expect([await auditOf("device_blocked"), await auditOf("device_unblocked")]).toEqual([[entry], [entry]]);
  });

  test("deletes a device with everything that is kept of it, at once", async () => {
    demand(await upload(relay, other, { packages: newPackages(50) }));
    demand(await device.send(other.address));
    expect(await everything()).toContain(other.deviceId);
    const asked = await run("devices", "delete", other.address);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("confirm with --yes") });
    expect((await other.poll()).status).toBe(200);

    expect(await run("devices", "delete", other.address, "--yes")).toMatchObject({ code: 0, stderr: "" });
    await expect.poll(async () => (await other.poll()).status).toBe(401);
    const left = (await everything()).split("\n");
    const traces = [other.deviceId, other.publicKey, other.address.split("@")[0] ?? "none"];
    // That its sessions have ended has to be known for as long as one of its tokens might be alive.
    const found = left.filter((line) => traces.some((trace) => line.includes(trace)));
    expect(found.filter((line) => !line.startsWith("session_cutoffs "))).toEqual([]);
    expect(await auditOf("device_deleted")).toEqual([{ target: other.deviceId.slice(0, 8), admin: null }]);
    expect((await device.send(other.address)).status).toBe(404);
    expect((await device.poll()).status).toBe(200);
  });
});

describe("mls-relay invites and peers, beside a relay", () => {
  test("makes an invite that lets devices in, shows and revokes it", async () => {
    const made = await run("invites", "create", "--uses", "2", "--days", "3", "--json");
    expect(made).toMatchObject({ code: 0 });
    const { invite_code: code, invite_id: jti } = JSON.parse(made.stdout);
    expect(code.split(".")).toHaveLength(3);
    const listed = await run("invites", "list");
    expect(listed.stdout).toMatch(new RegExp(`^${jti} +0/2 `, "m"));
    expect(listed.stdout).not.toContain(code);
    expect(await run("invites", "create", "--days", "400")).toMatchObject({ code: 1 });
    for (let i = 0; i < 2; i++) expect(await run("invites", "revoke", jti)).toMatchObject({ code: 0 });
    expect(await run("invites", "revoke", "nothing")).toMatchObject({ code: 1 });
    expect([await auditOf("invite_created"), await auditOf("invite_revoked")]).toEqual([
      [{ target: jti, admin: null }],
      [{ target: jti, admin: null }],
    ]);
  });

  test("blocks, lists and unblocks another server", async () => {
    await database.db.run(
      `insert into federation_peers (host, domain, registrable_domain, first_contact, last_activity)
       values ('chat.far.example', 'chat.far.example:8443', 'far.example', 1, 2)`,
    );
    expect(await run("peers", "show", "chat.far.example:8443")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^status +active$/m),
    });
    expect(await run("peers", "block", "far.example", "--reason", "spam")).toMatchObject({ code: 0, stderr: "" });
    const listed = await run("peers", "list");
    expect(listed.stdout).toMatch(/^chat\.far\.example:8443 +blocked /m);
    expect(listed.stdout).toContain("blocked: far.example and its subdomains (spam)");
    const above = await run("peers", "unblock", "chat.far.example");
    expect(above).toMatchObject({ code: 1, stderr: expect.stringContaining("peers list") });
    expect(await run("peers", "unblock", "far.example")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await run("peers", "list", "--json")).stdout).blocked_servers).toEqual([]);
    const entry = [{ target: "far.example", admin: null }];
    expect([await auditOf("federation_blocked"), await auditOf("federation_unblocked")]).toEqual([entry, entry]);
    expect((await call(relay, "getHealthz")).status).toBe(200);
  });
});
