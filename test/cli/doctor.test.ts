import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { constantsEnvironment } from "../../src/composition/config.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { type RunningCommand, runCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { shiftClock } from "../support/shifted-clock.js";

let database: TestDatabase;
let folder: string;
let relay: RunningCommand;
let env: Record<string, string>;

interface Finding {
  check: string;
  state: "ok" | "warning" | "failure";
  message: string;
  advice?: string;
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-doctor-"));
  const port = String(await findFreePort());
  const address = { PORT: port, DOMAIN: `localhost:${port}`, BASE_URL: `http://127.0.0.1:${port}` };
  env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    ...constantsEnvironment({ metricsFlushSeconds: 1 }),
    ...address,
  };
  relay = startCommand(["serve"], { ...env, TRUSTED_PROXIES: "127.0.0.2" });
  await relay.seen(/ at http/);
});
afterAll(async () => {
  relay.kill("SIGKILL");
  await relay.ended;
  await database.drop();
  await rm(folder, { recursive: true });
});

async function findings(more: Record<string, string> = {}): Promise<Finding[]> {
  const { stdout } = await runHere(["doctor", "--json"], { ...env, ...more });
  // It says by its exit code that something fails, which here would be the test's own.
  process.exitCode = undefined;
  return JSON.parse(stdout);
}

/** From the proxy that the relay trusts. */
async function forwardedUnreadably(): Promise<void> {
  const headers = { "X-Forwarded-For": "unknown" };
  const asked = get(`${env["BASE_URL"]}/healthz`, { localAddress: "127.0.0.2", headers });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
}

const stateOf = (found: readonly Finding[], check: string) => found.find((each) => each.check === check)?.state;

describe("mls-relay doctor and status", () => {
  test("finds nothing that fails where all is well", async () => {
    const found = await findings();
    // The test server gives durability up for speed, which is for it to find.
    const settings = found.filter(({ check }) => check === "database settings");
    expect(settings.every(({ state }) => state === "failure")).toBe(true);
    const rest = found.filter(({ check, state }) => check !== "database settings" && state === "failure");
    expect(rest).toEqual([]);
    expect(found.filter(({ check }) => check === "configuration")).toHaveLength(1);
    for (const check of ["configuration", "schema", "clock", "dns", "reachable", "nodes"]) {
      expect(stateOf(found, check), check).toBe("ok");
    }
  });

  test("says that federation is on without a certificate", async () => {
    const found = (await findings()).find(({ check }) => check === "federation");
    expect(found).toMatchObject({ state: "warning", message: expect.stringContaining("there is no certificate") });
  });

  test("finds nothing that fails before the first start", async () => {
    const unused = { DATA_DIR: join(folder, "unused"), PORT: String(await findFreePort()) };
    const { stdout } = await runHere(["doctor", "--json"], unused);
    expect(process.exitCode).toBeUndefined();
    const found: Finding[] = JSON.parse(stdout);
    expect(found.filter(({ state }) => state === "failure")).toEqual([]);
    expect(stateOf(found, "database")).toBe("warning");
  });

  test("does not take a relay that runs here for one that was never started", async () => {
    const other = { PORT: env["PORT"] ?? "", DATA_DIR: join(folder, "unused") };
    const { stdout } = await runHere(["doctor", "--json"], other);
    process.exitCode = undefined;
    const found: Finding[] = JSON.parse(stdout);
    const database = found.find(({ check }) => check === "database");
    expect(database).toMatchObject({ state: "failure", message: expect.stringContaining("a relay runs at") });
    expect(found.map(({ advice }) => advice ?? "").filter((advice) => advice.includes("first start"))).toEqual([]);
  });

  test("finds that a certificate comes without its intermediate, or from nobody that clients trust", async () => {
    const root = await createTestAuthority(new Date());
    const middle = await root.intermediate();
    const { cert, key } = await middle.issue({ hosts: ["relay.example"], key: "p256" });
    const [leaf = ""] = cert.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
    const file = (name: string) => join(folder, name);
    for (const [name, text] of Object.entries({ leaf, chain: cert, key, root: root.cert }))
      await writeFile(file(`${name}.pem`), text);
    const checked = async (name: string, more = {}) => {
      const files = { TLS_CERT_FILE: file(`${name}.pem`), TLS_KEY_FILE: file("key.pem") };
      const found = await findings({ DOMAIN: "relay.example", ...files, ...more });
      return found.find(({ check }) => check === "certificate");
    };
    const trusting = { FEDERATION_CA_FILE: file("root.pem") };
    expect(await checked("leaf", trusting)).toMatchObject({
      state: "failure",
      message: expect.stringContaining("lacks an intermediate"),
    });
    expect(await checked("chain", trusting)).toMatchObject({ state: "ok" });
  });

  test("says in seconds how far the clocks are apart", async () => {
    const own = await createTestDatabase();
    await (await shiftClock(own)).shift(-7200);
    const found = await findings({ DATABASE_URL: own.url });
    await own.drop();
    const clock = found.find(({ check }) => check === "clock");
    expect(clock).toMatchObject({ state: "failure", message: expect.stringMatching(/^7\d{3}\.\d s between/) });
  });

  test("names variables that are not read and look like one that is", async () => {
    const found = await findings({ TRUSTED_PROXY: "::1", MLS_RELAY_PORT: "80" });
    expect(found.filter(({ check, state }) => check === "configuration" && state === "warning")).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("TRUSTED_PROXY"),
        advice: expect.stringContaining("TRUSTED_PROXIES"),
      }),
      expect.objectContaining({
        message: expect.stringContaining("MLS_RELAY_PORT"),
        advice: expect.stringContaining("PORT"),
      }),
    ]);
  });

  test("shows one screen", async () => {
    const shown = await runHere(["status"], env);
    expect(shown.code).toBe(0);
    expect(shown.stdout.split("\n").length).toBeLessThanOrEqual(30);
    expect(shown.stdout).toMatch(/^nodes +1$/m);
    expect(shown.stdout).toMatch(/^last backup +none$/m);
    const status = JSON.parse((await runHere(["status", "--json"], env)).stdout);
    expect(status).toMatchObject({ nodes: [{ streams: 0 }], levels: { devices: 0 }, alerts: [] });
  });

  test("says what to do about what is wrong", async () => {
    const wrongKey = await findings({ MASTER_KEY: "ab".repeat(32) });
    expect(wrongKey.filter(({ check }) => check === "master key").map(({ state }) => state)).toContain("failure");
    const elsewhere = await findings({ BASE_URL: "http://no-such-host.invalid" });
    expect([stateOf(elsewhere, "dns"), stateOf(elsewhere, "reachable")]).toEqual(["failure", "failure"]);
    const otherName = await findings({ DOMAIN: "other.example" });
    expect(stateOf(otherName, "reachable")).toBe("failure");
    const behindProxy = await findings({ BASE_URL: "https://no-such-host.invalid" });
    expect(stateOf(behindProxy, "proxy")).toBe("warning");
    const trusting = { BASE_URL: "https://no-such-host.invalid", TRUSTED_PROXIES: "127.0.0.1" };
    expect(stateOf(await findings(trusting), "proxy")).toBe("ok");
    for (const client of ["203.0.113.1", "203.0.113.2"]) {
      await fetch(`${env["BASE_URL"]}/healthz`, { headers: { "X-Forwarded-For": client } });
    }
    await expect
      .poll(async () => stateOf(await findings(), "proxy headers"), { timeout: 300_000, interval: 500 })
      .toBe("warning");
    await forwardedUnreadably();
    await expect
      .poll(async () => (await findings()).map(({ message }) => message), { timeout: 300_000, interval: 500 })
      .toContainEqual(expect.stringMatching(/^a trusted proxy sends X-Forwarded-For without/));
    expect(stateOf(await findings({ PORT: "x" }), "configuration")).toBe("failure");
    const noDatabase = await findings({ DATABASE_URL: "postgres://a@127.0.0.1:9/x" });
    expect(stateOf(noDatabase, "database")).toBe("failure");
    for (const { state, advice } of [...wrongKey, ...elsewhere, ...noDatabase]) {
      if (state !== "ok") expect(advice).toBeTruthy();
    }
    relay.kill("SIGTERM");
    await relay.ended;
    const stopped = await findings();
    expect([stateOf(stopped, "nodes"), stateOf(stopped, "reachable")]).toEqual(["warning", "failure"]);
  });
});

test("a relay does not start at a Citus worker, and doctor names the coordinator", async () => {
  const worker = await createTestDatabase();
  // As on a worker; it leads to this database by another name.
  const { port } = new URL(worker.url);
  for (const statement of [
    "create table pg_dist_local_group (groupid integer)",
    "insert into pg_dist_local_group values (1)",
    "create table pg_dist_node (groupid integer, nodename text, nodeport integer)",
    `insert into pg_dist_node values (0, 'localhost', ${port})`,
    // As on a coordinator that has distributed nothing yet.
    "alter table pg_dist_node add noderole text, add shouldhaveshards boolean",
    "create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text)",
    "create table pg_dist_placement (shardid bigint, groupid integer)",
  ])
    await worker.db.run(statement);
  const asCitus = "update pg_extension set extname = 'citus' where extname = 'plpgsql'";
  const asBefore = "update pg_extension set extname = 'plpgsql' where extname = 'citus'";
  await worker.db.run(asCitus);
  const { code, stderr } = await runCommand(["serve"], { ...env, DATABASE_URL: worker.url, PORT: "0" });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/worker of Citus.*coordinator, localhost/)]);
  const found = (await findings({ DATABASE_URL: worker.url })).find(({ check }) => check === "database machine");
  expect(found).toMatchObject({ state: "failure", advice: expect.stringMatching(/coordinator, localhost:\d+/) });
  await worker.db.run(asBefore);
  await worker.drop();
});
