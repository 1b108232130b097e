import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { runCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;

/** A stopped relay `relay.test`, at which a device has an address. */
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-domain-"));
  const relay = await startRelay({ databaseUrl: database.url });
  await newDevice(relay);
  await relay.stop();
  env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: "0", MASTER_KEY: relay.config.masterKey ?? "" };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function nameInDatabase(): Promise<string | undefined> {
  return (await database.db.one<{ domain: string }>("select domain from server_name"))?.domain;
}

async function servesAs(args: readonly string[], given: Record<string, string>): Promise<string | undefined> {
  const relay = startCommand(["serve", ...args], given);
  const [, domain] = await relay.seen(/mls-relay serves (\S+) at/);
  relay.kill("SIGTERM");
  await relay.ended;
  return domain;
}

async function domainFinding(given: Record<string, string>): Promise<unknown> {
  const { stdout } = await runHere(["doctor", "--json"], given);
  process.exitCode = undefined;
  return (JSON.parse(stdout) as { check: string }[]).find(({ check }) => check === "domain");
}

describe("a relay whose DOMAIN differs from its database's", () => {
  test.each([
    ["another DOMAIN", { DOMAIN: "other.example" }, "other.example", []],
    ["no DOMAIN", {}, "localhost:0", []],
    ["another DOMAIN, with workers", { DOMAIN: "other.example" }, "other.example", ["--workers", "2"]],
  ])("does not start: %s", async (_, given, name, args) => {
    const { code, stderr } = await runCommand(["serve", ...args], { ...env, ...given });
    expect(code).toBe(1);
    expect(stderr).toContain(`the relay's name would be ${name}`);
    expect(stderr).toContain("set DOMAIN=relay.test");
    expect(stderr).toContain("--change-domain");
    expect(await nameInDatabase()).toBe("relay.test");
    expect(await domainFinding({ ...env, ...given })).toMatchObject({
      state: "failure",
      message: `it is ${name} here, but devices have addresses at relay.test`,
      advice: expect.stringContaining("set DOMAIN=relay.test"),
    });
  });

  test("starts if it is told to change the name, and then by that name alone", async () => {
    expect(await servesAs(["--change-domain"], { ...env, DOMAIN: "other.example" })).toBe("other.example");
    expect(await servesAs([], { ...env, DOMAIN: "other.example" })).toBe("other.example");
    const { code } = await runCommand(["serve"], { ...env, DOMAIN: "relay.test" });
    expect(code).toBe(1);
    expect(await nameInDatabase()).toBe("other.example");
  });

  test("starts while no device has an address that it could lose", async () => {
    const unused = await createTestDatabase();
    const given = { ...env, DATABASE_URL: unused.url, MASTER_KEY: "ab".repeat(32) };
    expect(await servesAs([], given)).toBe("localhost:0");
    expect(await servesAs([], { ...given, DOMAIN: "relay.example" })).toBe("relay.example");
    await unused.drop();
  });
});

test("commands speak for the database's relay, whatever DOMAIN they have", async () => {
  const { stdout } = await runHere(["status", "--json"], { ...env, DOMAIN: "a.example" });
  expect(JSON.parse(stdout)).toMatchObject({ domain: await nameInDatabase() });
});

test("an administrator logs in to a relay at localhost, which serves plain HTTP, without naming its address", async () => {
  const own = await createTestDatabase();
  const port = String(await findFreePort());
  const given = { ...env, DATABASE_URL: own.url, MASTER_KEY: "ab".repeat(32) };
  const relay = startCommand(["serve"], { ...given, PORT: port, DOMAIN: `localhost:${port}` });
  await relay.seen(/ at http/);
  const key = ["--key", join(folder, "admin.pem")];
  await runHere(["admin", "keygen", "--out", join(folder, "admin.pem")], given);
  await runHere(["admin", "add", ...key], given);
  const { stdout: link } = await runHere(["console", "--no-qr"], given);
  expect(link).toMatch(new RegExp(`^http://localhost:${port}/console/#/link`));
  await expect.poll(async () => (await runHere(["admin", "login", ...key], { ...given, PORT: "8080" })).code).toBe(0);
  relay.kill("SIGTERM");
  await relay.ended;
  await own.drop();
});
