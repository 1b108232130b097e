import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import type { AnyRow } from "../support/any-row.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { isMissing, programs } from "../support/programs.js";
import { startRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

/** Debian's PgBouncer in front of a database of the test server. */
class Pooler {
  url = "";
  readonly #database: TestDatabase;
  #child: ChildProcess | undefined;

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  async start(mode: "session" | "transaction", inTurn = false): Promise<void> {
    await this.stop();
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-pgbouncer-"));
    await chmod(folder, 0o755);
    const server = new URL(this.#database.url);
    const port = await findFreePort();
    const settings = path.join(folder, "pgbouncer.ini");
    const target = [`host=${server.hostname}`, `port=${server.port}`, `password=${server.password}`].join(" ");
    const lines = [
      `[databases]\n* = ${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = trust\nauth_file = ${folder}/users.txt\npool_mode = ${mode}\nmax_client_conn = 200`,
      "default_pool_size = 50\nlog_connections = 0\nlog_disconnections = 0\nserver_reset_query = DISCARD ALL",
      `server_round_robin = ${inTurn ? 1 : 0}\n`,
    ];
    await writeFile(settings, lines.join("\n"), { mode: 0o644 });
    await writeFile(path.join(folder, "users.txt"), `"${server.username}" "${server.password}"\n`, { mode: 0o644 });
    const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    this.#child = spawn(programs.pgbouncer.find() ?? "", [...account, settings], { stdio: "ignore" });
    this.url = `postgres://${server.username}@127.0.0.1:${port}${server.pathname}`;
    await expect.poll(() => answers(this.url)).toBe(true);
    await rm(folder, { recursive: true });
  }

  async stop(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    // It waits for clients; the second signal ends it at once.
    await Promise.race([ended, sleep(1_000)]);
    this.#child.kill("SIGKILL");
    await ended;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe.skipIf(isMissing("pgbouncer"))("a database behind PgBouncer", () => {
  let database: TestDatabase;
  let pooler: Pooler;

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    pooler = new Pooler(database);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  test.each([
    ["that lends the last session first", false],
    ["that lends all of them in turn", true],
  ])("in transaction mode, a relay does not start, says why, and writes nothing (%s)", async (_, inTurn) => {
    await pooler.start("transaction", inTurn);
    const env = { DATABASE_URL: pooler.url, MASTER_KEY: randomBytes(32).toString("hex"), PORT: "0" };
    const { code, stderr } = await runCommand(["serve"], env);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("pool_mode = session") });
    const rows = await database.db.rows<AnyRow>(
      "select count(*)::int as tables from pg_tables where schemaname = 'public'",
    );
    expect(rows).toEqual([{ tables: 0 }]);
  });

  test("in session mode, a relay works: notifications, locks, streams, and time limits of statements", async () => {
    await pooler.start("session");
    const relay = await startRelay({ databaseUrl: pooler.url });
    const second = await startRelay({ ...relay.config }, { clock: relay.clock });
    try {
      const device = await newDevice(relay);
      const stream = await openDeviceStream(second.url, device.token);
      expect((await device.send(device.address)).status).toBe(202);
      await stream.next("message");
      await stream.close();
      const rows = await database.db.rows<AnyRow>(
        `select count(distinct pid)::int as sessions from pg_stat_activity
         where datname = current_database() and application_name = 'mls-relay'`,
      );
      expect(rows[0].sessions).toBeGreaterThan(5);
    } finally {
      await second.stop();
      await relay.stop();
    }
  });

  test("doctor names the mode that does not work", async () => {
    await pooler.start("transaction");
    const env = { DATABASE_URL: pooler.url, MASTER_KEY: randomBytes(32).toString("hex"), PORT: "0" };
    const { stdout } = await runCommand(["doctor", "--json"], env);
    const found = (JSON.parse(stdout) as { check: string; state: string }[]).find(({ check }) => check === "sessions");
    expect(found?.state).toBe("failure");
  });
});
