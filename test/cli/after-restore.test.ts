import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKeys } from "../support/admin.js";
import { call } from "../support/api.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const masterKey = randomBytes(32).toString("hex");

let database: TestDatabase;
let relay: TestRelay;
let device: TestDevice;
let env: Record<string, string>;
const before: Record<string, unknown> = {};

const start = () => startRelay({ databaseUrl: database.url, masterKey });
const count = async (sql: string) => Number((await database.db.one<{ count: number }>(sql))?.count);
const openInvites = "select count(*) as count from invites where revoked_at is null";

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test" };
  relay = await start();
  device = await newDevice(relay);
  before["challenge"] = (
    await call(relay, "createRegistrationChallenge", { body: { public_key: adminKeys().publicKey } })
  ).body;
  const limited = await call(relay, "createRevocableInfoPackage", {
    body: { ciphertext: randomBytes(64).toString("base64"), ttl_seconds: 3600, max_uses: 3 },
  });
  before["limited"] = limited.body;
  const now = relay.clock.nowSeconds();
  await database.db.run(
    `insert into invites (jti, max_uses, expires_at, created_by, created_at, domain)
     values ('one', 5, :now::bigint + 1000, 'somebody', :now::bigint, 'relay.test')`,
    { now },
  );
  await database.db.run(
    "insert into invite_uses (issuer, jti, uses, expires_at) values ('peer.test', 'two', 1, :now::bigint + 1000)",
    { now },
  );
});
afterAll(async () => {
  await relay.stop();
  await database.drop();
});

describe("mls-relay after-restore", () => {
  test("refuses to run beside a relay", async () => {
    const refused = await runCommand(["after-restore"], env);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("stop it first") });
    expect(refused.stderr).toMatch(/Node [0-9a-f]{16} was last heard \d+ s ago; .* try again in \d+ s\./);
    expect((await device.poll()).status).toBe(200);
    expect(await count(openInvites)).toBe(1);
  });

  test("voids what may have been given out since the backup, and may be run again", async () => {
    await relay.stop();
    expect(await runCommand(["after-restore"], env)).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await runCommand(["after-restore"], env);
    expect({ code, lines: stdout.trim().split("\n").length }).toEqual({ code: 0, lines: 11 });
    expect(await count("select count(*) as count from audit_entries where action = 'database_restored'")).toBe(2);
    expect(await count(openInvites)).toBe(0);
    expect(await count("select count(*) as count from invite_uses where uses < 2147483647")).toBe(0);
    expect(await count("select count(*) as count from registration_challenges")).toBe(0);
    expect(await count("select count(*) as count from info_packages where uses_remaining > 0")).toBe(0);
    const secrets = "select count(*) as count from secrets where name in ('admin-challenges', 'federation-nonce')";
    expect(await count(secrets)).toBe(0);
  });

  test("the relay then takes no token from before, and works on", async () => {
    // Devices keep the relay that they were made with.
    Object.assign(relay, await start());
    expect((await device.poll()).status).toBe(401);
    await device.announce();
    expect((await device.send(device.address)).status).toBe(202);
    expect((await device.poll()).body.messages).toHaveLength(1);
  });
});
