import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { variableNames } from "../../src/composition/config.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { seedVariables } from "../../src/settings/service.js";
import type { AnyRow } from "../support/any-row.js";
import { type RunningCommand, runCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), "mls-relay-cli-"));
  env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: "0", LOG_LEVEL: "info" };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function serve(more: Record<string, string> = {}): Promise<{ relay: RunningCommand; url: string }> {
  const relay = startCommand(["serve"], { ...env, ...more });
  const [, url = ""] = await relay.seen(/ at (http\S+)/);
  return { relay, url };
}

describe("the command", () => {
  test("config lists every variable of the environment, and help fits a screen", async () => {
    for (const help of [["--help"], ["serve", "--help"]]) {
      const shown = await runCommand(help, {});
      expect(shown).toMatchObject({ code: 0, stderr: "" });
      expect(shown.stdout.split("\n").length).toBeLessThanOrEqual(50);
    }
    const { code, stdout } = await runCommand(["config"], {});
    expect(code).toBe(0);
    for (const name of [...variableNames(), ...seedVariables()]) expect(stdout).toContain(`\n  ${name} `);
  });

  test("names every variable at fault, one a line, and starts nothing", async () => {
    const { code, stdout, stderr } = await runCommand(["serve"], { ...env, PORT: "x", LOG_LEVEL: "loud" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^configuration: PORT must be an integer/),
      expect.stringMatching(/^configuration: LOG_LEVEL must be one of/),
    ]);
  });

  test("refuses a misspelt DATABASE_URL in place of starting an empty database", async () => {
    const { DATABASE_URL: url = "", ...others } = env;
    for (const command of [["serve"], ["serve", "--workers", "2"], ["migrate"]]) {
      const { code, stderr } = await runCommand(command, { ...others, DATABSE_URL: url });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^configuration: DATABSE_URL is not read: correct its name to DATABASE_URL/),
      });
    }
    expect(existsSync(join(folder, "postgres"))).toBe(false);
  });

  test.each([
    ["TLS_CERT_FILE", { TLS_KEY_FILE: "package.json" }],
    ["TLS_KEY_FILE", { TLS_CERT_FILE: "package.json" }],
    ["FEDERATION_CA_FILE", {}],
    ["FEDERATION_CRL_FILE", {}],
    ["FEDERATION_CERT_FILE", { FEDERATION_KEY_FILE: "package.json" }],
  ])("names the variable of a file that is not there: %s", async (variable, others) => {
    const own = await createTestDatabase();
    const missing = { ...env, DATABASE_URL: own.url, ...others, [variable]: "/nowhere/file.pem" };
    const { code, stderr } = await runHere(["serve"], missing);
    await own.drop();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^configuration: ${variable} /nowhere/file.pem cannot be read \\(ENOENT\\)$`, "m"),
    );
  });

  test("names the variable of a file that cannot be used", async () => {
    const own = await createTestDatabase();
    const wrong = { ...env, DATABASE_URL: own.url, FEDERATION_CA_FILE: "package.json" };
    const { stderr } = await runHere(["serve"], wrong);
    await own.drop();
    expect(stderr).toMatch(
      /^configuration: FEDERATION_CA_FILE package.json cannot be used: the file contains no certificate in PEM/m,
    );
  });

  test("names a seed that is out of range, before the database is touched", async () => {
    const { code, stderr } = await runHere(["serve"], { ...env, SEED_REGISTRATION_MODE: "closed" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^configuration: SEED_REGISTRATION_MODE/),
    });
    expect(await database.db.rows<AnyRow>("select to_regclass('knex_migrations') as journal")).toEqual([
      { journal: null },
    ]);
  });

  test("works on no database that is not migrated; migrate makes it ready, and does nothing the second time", async () => {
    const refused = await runHere(["keys", "list"], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("mls-relay migrate") });
    expect(await runHere(["migrate"], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Applied: 0001/),
    });
    expect(await runHere(["migrate"], env)).toMatchObject({ code: 0, stdout: "The schema is up to date.\n" });
  });
});

describe("a relay in a process of its own", () => {
  test("writes one line for each fact of its start", async () => {
    const { relay, url } = await serve({ TRUSTED_PROXIES: "10.0.0.0/8", PROT: "80" });
    relay.kill("SIGTERM");
    const { stdout } = await relay.ended;
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const facts = ["version", "serving", "database", "master key", "TLS", "nodes", "proxies", "metrics", "backups"];
    for (const fact of facts)
      expect(
        lines.filter(({ msg }) => msg === fact),
        fact,
      ).toHaveLength(1);
    expect(lines.find(({ msg }) => msg === "serving")).toMatchObject({ level: "info", listens_at: url });
    const document = JSON.parse(await readFile("generated/openapi.json", "utf8"));
    expect(lines.find(({ msg }) => msg === "version")).toMatchObject({ contract: document.info.version });
    expect(lines.find(({ variable }) => variable === "PROT")).toMatchObject({ level: "warn", meant: "PORT" });
    expect(lines.find(({ msg }) => msg === "proxies")).toMatchObject({ trusted: ["10.0.0.0/8"] });
    expect(stdout).not.toContain(new URL(env["DATABASE_URL"] ?? "").password || "no password");
  });

  test("says where things are, follows what the commands do to its keys, and ends well on SIGTERM", async () => {
    const { relay, url } = await serve();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const published = async (): Promise<string[]> => {
      const body = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
      return body.keys.map((key) => key.kid);
    };
    const [first = ""] = await published();
    const rotated = await runHere(["keys", "rotate"], env);
    const second = rotated.stdout.split(" ")[0] ?? "";
    await expect.poll(published).toEqual([second, first]);
    expect(await runHere(["keys", "revoke", first], env)).toMatchObject({ code: 0 });
    await expect.poll(published).toEqual([second]);
    const again = await runHere(["keys", "revoke", first], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/^mls-relay: there is no key/) });
    const listed = (await runHere(["keys", "list"], env)).stdout;
    expect(listed).toMatch(new RegExp(`^${first} +revoked .*\n${second} +signing `));

    relay.kill("SIGTERM");
    const { code, stdout } = await relay.ended;
    expect(code).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    expect(stdout).not.toContain((await readFile(join(folder, "master.key"), "utf8")).trim());
    const rows = await database.db.rows<AnyRow>("select action, admin, target from audit_entries order by id");
    expect(rows).toEqual([
      { action: "key_rotated", admin: null, target: second },
      { action: "key_revoked", admin: null, target: first },
    ]);
  });

  test("a second signal does not wait for what is still going on", async () => {
    const { relay, url } = await serve({ SHUTDOWN_GRACE_SECONDS: "60" });
    const { hostname, port } = new URL(url);
    const slow = connect(Number(port), hostname);
    slow.on("error", () => {});
    slow.write(
      "POST /api/v1/announce/challenge HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
    );
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
    relay.kill("SIGTERM");
    await expect.poll(() => fetch(`${url}/healthz`).then(String, () => "refused")).toBe("refused");
    relay.kill("SIGTERM");
    expect(await relay.ended).toMatchObject({ code: null, signal: "SIGTERM" });
    slow.destroy();
  });
});

describe("commands beside a relay", () => {
  test("a block is lifted, with an audit entry, by the device's id or by its public key", async () => {
    const unblock = (id: string) => runHere(["devices", "unblock", id], env);
    expect(await unblock("ab".repeat(32))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no such device"),
    });
    const publicKey = Buffer.alloc(32, 0xcd);
    const deviceId = deviceIdOf(publicKey);
    for (const spelled of [deviceId, publicKey.toString("hex")]) {
      const sql = `insert into devices (device_id, public_key, registered_at, last_active, blocked_at)
                   values (:deviceId, :publicKey, 1, 1, 1) on conflict (device_id) do update set blocked_at = 1`;
      await database.db.run(sql, { deviceId, publicKey });
      expect(await unblock(spelled)).toMatchObject({ code: 0 });
      const rows = await database.db.rows<AnyRow>("select blocked_at from devices where device_id = :deviceId", {
        deviceId,
      });
      expect(rows).toEqual([{ blocked_at: null }]);
    }
    const audit = await database.db.rows<AnyRow>("select target from audit_entries where action = 'device_unblocked'");
    expect(audit).toEqual([{ target: deviceId }, { target: deviceId }]);
  });

  test("what waits for other servers is shown, tried again and dropped, with audit entries", async () => {
    const outbox = (...args: string[]) => runHere(["outbox", ...args], env);
    expect(await outbox("list")).toMatchObject({ code: 0, stdout: "No messages are waiting for other servers.\n" });
    await database.db.run(`
      insert into outbox_destinations (domain, last_position, messages, bytes, used_at, next_attempt_millis, failures, problem)
      values ('far.example', 1, 1, 3, 1, 99999999999999, 4, 'timeout');
      insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, dedup_tag,
                          accepted_at, expires_at)
      values ('far.example', 1, gen_random_uuid(), gen_random_uuid(), '\\x010203', 'x', 1, '\\x00', 1, 99999999999)`);
    const { stdout } = await outbox("list");
    expect(stdout).toMatch(
      /^far\.example {2}1 messages, 3 bytes, oldest \d+ s; 4 failures \(timeout\), never reached, next/,
    );
    expect(await outbox("retry", "far.example")).toMatchObject({
      code: 0,
      stdout: "far.example will be tried at once.\n",
    });
    const purged = { code: 0, stdout: "1 messages for far.example were deleted.\n" };
    expect(await outbox("purge", "far.example")).toMatchObject(purged);
    expect(await outbox("purge", "far.example")).toMatchObject({ code: 1 });
    expect(await outbox("retry", "no server")).toMatchObject({ code: 1 });
    const audit = await database.db.rows<AnyRow>(
      "select action from audit_entries where target = 'far.example' order by id",
    );
    expect(audit).toEqual([{ action: "outbox_retried" }, { action: "outbox_purged" }]);
  });

  test("a ban of an address that does not exist is not lifted, and what is no address is refused", async () => {
    const none = { code: 0, stdout: "This address is not banned.\n" };
    expect(await runHere(["ips", "unban", "192.0.2.1"], env)).toMatchObject(none);
    expect(await runHere(["ips", "unban", "somewhere"], env)).toMatchObject({ code: 1 });
    const audit = await database.db.rows<AnyRow>("select 1 from audit_entries where action = 'ip_unbanned'");
    expect(audit).toEqual([]);
  });
});
