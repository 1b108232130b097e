import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { isDistributed } from "../support/backends.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const role = `login_${randomBytes(6).toString("hex")}`;
const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };
const name = () => new URL(database.url).pathname.slice(1);

let database: TestDatabase;
let server: ReturnType<typeof createDatabase>;
let relay: TestRelay;
let anna: TestDevice;

beforeAll(async () => {
  database = await createTestDatabase();
  server = createDatabase({ url: inject("postgresUrl"), poolSize: 1 });
  await server.run(`create role ${role} superuser login password 'first'`);
  const url = new URL(database.url);
  Object.assign(url, { username: role, password: "first" });
  relay = await startRelay({ databaseUrl: url.href, seeds });
  anna = await newDevice(relay);
});
afterAll(async () => {
  await relay.stop();
  await database.drop();
  await server.run(`drop role ${role}`);
  await server.close();
});

beforeEach(async () => {
  expect((await anna.send(anna.address)).status).toBe(202);
});

/** Ends the connections of the role, so that the relay has to log in again. */
async function cut(): Promise<void> {
  await server.run("select pg_terminate_backend(pid) from pg_stat_activity where usename = :role", { role });
}

async function answers() {
  const sent = anna.send(anna.address);
  const polled = anna.poll();
  const challenged = call(relay, "getAdminChallenge");
  const body = { public_key: anna.publicKey };
  return Promise.all([sent, polled, challenged, call(relay, "createRegistrationChallenge", { body })]);
}

async function expectUnavailable(): Promise<void> {
  for (const { status, headers, body } of await answers()) {
    if (status < 300) continue;
    expect({ status, error: body.error }).toEqual({ status: 503, error: "DATABASE_UNAVAILABLE" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  // A login that was under way when the role was changed may have outlived the cut.
  const polled = async () => {
    await cut();
    const { status, body } = await anna.poll();
    return { status, error: body.error };
  };
  await expect.poll(polled).toEqual({ status: 503, error: "DATABASE_UNAVAILABLE" });
  await expect.poll(async () => (await fetch(`${relay.url}/readyz`)).status).toBe(503);
}

// What nodes do with a database that is theirs again is to try; the first attempts may still find broken connections.
async function expectWorking(): Promise<void> {
  await expect.poll(async () => (await anna.send(anna.address)).status).toBe(202);
  await expect.poll(async () => (await fetch(`${relay.url}/readyz`)).status).toBe(200);
}

const renamed: [string, () => string, () => string] = [
  "the database has another name",
  () => `alter database ${name()} rename to ${name()}_away`,
  () => `alter database ${name()}_away rename to ${name()}`,
];

it.each([
  [
    "the role's password was changed",
    () => `alter role ${role} password 'second'`,
    () => `alter role ${role} password 'first'`,
  ],
  ["the role may not log in", () => `alter role ${role} nologin`, () => `alter role ${role} login`],
  [
    "the database takes no connections",
    () => `alter database ${name()} allow_connections false`,
    () => `alter database ${name()} allow_connections true`,
  ],
  // The machines of a distributed one know each other's database by its name.
  ...(isDistributed ? [] : [renamed]),
])("answers that the database is unavailable, and never that it made a mistake, where %s", async (_, shut, open) => {
  const isRenaming = shut().includes("rename");
  if (isRenaming) await server.run(`alter database ${name()} allow_connections false`);
  await cut();
  if (isRenaming)
    await expect
      .poll(
        async () => (await server.rows("select from pg_stat_activity where datname = :name", { name: name() })).length,
      )
      .toBe(0);
  await server.run(shut());
  if (isRenaming) await server.run(`alter database ${name()}_away allow_connections true`);
  await cut();
  try {
    await expectUnavailable();
  } finally {
    await server.run(open());
  }
  await expectWorking();
});

// A connection that was opened meanwhile stays so, as one to a former primary does after a failover.
it("answers so as well while the database may only be read, and opens new connections until one may write", async () => {
  await server.run(`alter database ${name()} set default_transaction_read_only = on`);
  await cut();
  try {
    await expect
      .poll(async () => (await anna.send(anna.address)).body)
      .toMatchObject({
        error: "DATABASE_UNAVAILABLE",
        message: expect.stringContaining("read-only"),
      });
  } finally {
    await server.run(`alter database ${name()} reset default_transaction_read_only`);
  }
  await expectWorking();
  await expect.poll(async () => (await answers()).filter(({ status }) => status >= 300)).toEqual([]);
});
