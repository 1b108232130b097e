import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKeys, logIn, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

const farDomain = "chat.far.example";

let database: TestDatabase;
let empty: TestDatabase;
let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  [database, empty] = [await createTestDatabase(), await createTestDatabase({ empty: true })];
  folder = await mkdtemp(join(tmpdir(), "mls-relay-json-"));
  const masterKey = randomBytes(32).toString("hex");
  env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test", DATA_DIR: folder };
  const keys = adminKeys("all");
  relay = await startRelay({ databaseUrl: database.url, masterKey, adminList: keys.seed });
  admin = await logIn(relay, keys);
  device = await newDevice(relay);
  await database.db.run(
    `insert into federation_peers (host, domain, registrable_domain, first_contact, last_activity)
     values ('${farDomain}', '${farDomain}', 'far.example', 1, 2)`,
  );
  await tableOf(database.db, "outbox_destinations").insert({
    ...{ domain: farDomain, last_position: 1, messages: 1, bytes: 1, used_at: 0, failures: 1, problem: "refused" },
  });
});
afterAll(async () => {
  await relay.stop();
  for (const one of [database, empty]) await one.drop();
  await rm(folder, { recursive: true });
});

async function json(args: readonly string[], more: Record<string, string> = {}): Promise<unknown> {
  const { stdout, stderr } = await runHere([...args, "--json"], { ...env, ...more });
  expect(stdout, `${args.join(" ")}: ${stderr}`).not.toBe("");
  return JSON.parse(stdout);
}

/** The names of the members at every depth. */
function membersOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...membersOf(inner)]);
}

test("devices, invites, servers and waiting messages are spelled as in the answers for administrators", async () => {
  const { token } = admin;
  const invite = (await json(["invites", "create", "--days", "2"])) as Record<string, string>;
  const { invites } = demand(await call(relay, "listInvites", { token })).body;
  expect(await json(["invites", "list"])).toEqual(invites);
  expect(invites).toEqual([
    expect.objectContaining({ invite_id: invite["invite_id"], created_by: invite["created_by"] }),
  ]);

  const { devices } = demand(await call(relay, "listDevices", { token })).body;
  const listed = devices.map((one) => ({ ...one, public_key: device.publicKey }));
  expect(await json(["devices", "list"])).toEqual(listed);
  expect([await json(["devices", "find", device.address])]).toEqual(listed);
  const detail = demand(await call(relay, "getDevice", { token, params: { device_id: device.deviceId } })).body;
  expect(await json(["devices", "show", device.address])).toEqual({ ...detail, public_key: device.publicKey });

  await runHere(["peers", "block", "near.example", "--reason", "spam"], env);
  const { peers } = demand(await call(relay, "listPeers", { token })).body;
  const { blocked_servers } = demand(await call(relay, "listBlockedServers", { token })).body;
  expect(await json(["peers", "list"])).toEqual({ peers, blocked_servers });
  const reputation = demand(
    await call(relay, "getServerReputation", { token, params: { server_domain: farDomain } }),
  ).body;
  expect(await json(["peers", "show", farDomain])).toEqual(reputation);

  const { destinations } = demand(await call(relay, "listOutboxBacklogs", { token })).body;
  expect(await json(["outbox", "list"])).toEqual(destinations);
  expect(await json(["outbox", "purge", farDomain])).toEqual({ server_domain: farDomain, purged_messages: 0 });
});

test("every member has small letters and underscores", async () => {
  const [key, file] = [join(folder, "admin.pem"), join(folder, "made.backup")];
  const commands = [
    ["status"],
    ["doctor"],
    ["config"],
    ["config", "--constants"],
    ["settings", "list"],
    ["settings", "set", "registration.mode=open"],
    ["settings", "presets"],
    ["migrate"],
    ["keys", "list"],
    ["keys", "rotate"],
    ["admin", "keygen", "--out", key],
    ["admin", "add", "--key", key],
    ["admin", "list"],
    ["console"],
    ["clock", "show"],
    ["backup", file, "--quiet"],
    ["backup", "--verify", file, "--quiet"],
  ];
  const shown = new Map<string, string[]>();
  for (const args of commands) shown.set(args.join(" "), membersOf(await json(args)));
  shown.set("restore", membersOf(await json(["restore", file, "--quiet"], { DATABASE_URL: empty.url })));
  shown.set("after-restore", membersOf(await json(["after-restore"], { DATABASE_URL: empty.url })));
  for (const [name, members] of shown) {
    expect(
      members.filter((member) => !/^[a-z][a-z0-9_.]*$/.test(member)),
      name,
    ).toEqual([]);
  }
});
