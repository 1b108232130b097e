import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseStatement } from "../../src/database/bindings.js";
import type { Db, Reader } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { RelayError } from "../../src/protocol/errors.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startTcpProxy } from "../support/tcp-proxy.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function one<T>(sql: string, bindings: Record<string, unknown> = {}): Promise<T> {
  const row = await database.db.one<{ value: T }>(`select ${sql} as value`, bindings);
  return (row as { value: T }).value;
}

describe("a statement's bindings", () => {
  test("an array is sent as one PostgreSQL array", async () => {
    expect(await one("'b' = any(:ids::text[])", { ids: ["a", "b"] })).toBe(true);
    expect(await one("cardinality(:ids::text[])", { ids: [] })).toBe(0);
    expect(await one(":ids::text[]", { ids: ["a,b", '"', "{}", "NULL", null, "\\"] })).toEqual([
      "a,b",
      '"',
      "{}",
      "NULL",
      null,
      "\\",
    ]);
  });

  test("arrays of bytes, numbers and truth values arrive as they are", async () => {
    const bytes = [Buffer.from([0, 1, 255]), Buffer.from("{}")];
    expect(await one(":values::bytea[]", { values: bytes })).toEqual(bytes);
    expect(await one(":values::bigint[]", { values: [1, 2 ** 52, null] })).toEqual([1, 2 ** 52, null]);
    expect(await one(":values::boolean[]", { values: [true, null, false] })).toEqual([true, null, false]);
  });

  test("a name may occur several times", async () => {
    expect(await one(":word::text || :word::text", { word: "ab" })).toBe("abab");
  });

  test("casts, literals, comments, quoted names and operators with a question mark are left alone", async () => {
    const sql = `'it''s :no? ' || (('{"a":1}'::jsonb ? 'a')::text) || :yes::text -- :no ?\n`;
    expect(await one(sql, { yes: "!" })).toBe("it's :no? true!");
    expect(parseStatement('select ":no" where a = :yes and b = :also and c = :yes')).toMatchObject({
      text: 'select ":no" where a = $1 and b = $2 and c = $1',
      names: ["yes", "also"],
    });
  });

  test("a binding without a value is an error, null is a value", async () => {
    await expect(one(":missing::text")).rejects.toThrow("missing");
    expect(await one(":nothing::text", { nothing: null })).toBeNull();
  });

  test("whole numbers of 64 bits and numerics arrive as numbers, bytes as buffers", async () => {
    expect(await one("9007199254740991::bigint")).toBe(Number.MAX_SAFE_INTEGER);
    expect(await one("1.25::numeric")).toBe(1.25);
    expect(await one("(select count(*) from generate_series(1, 3))")).toBe(3);
    expect(await one("'\\x00ff'::bytea")).toEqual(Buffer.from([0, 255]));
  });
});

describe("a transaction", () => {
  const note = (db: Db, text: string) => db.rows("insert into notes values (:text)", { text });
  const notes = async () =>
    (await database.db.rows<{ text: string }>("select text from notes")).map(({ text }) => text);
  beforeAll(() => database.db.rows("create table notes (text text)"));
  beforeEach(() => database.db.rows("truncate notes"));

  test("is committed when its work resolves, and then says so; rolled back, and silent, when it throws", async () => {
    const said: string[] = [];
    const value = await database.db.transaction(async (trx) => {
      await note(trx, "kept");
      trx.afterCommit(() => said.push("kept"));
      expect(said).toEqual([]);
      expect(await notes()).toEqual([]);
      return 7;
    });
    const failing = database.db.transaction(async (trx) => {
      await note(trx, "undone");
      trx.afterCommit(() => said.push("undone"));
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect([value, await notes(), said]).toEqual([7, ["kept"], ["kept"]]);
  });

  test("a transaction within it undoes its own statements only", async () => {
    await database.db.transaction(async (trx) => {
      await note(trx, "outer");
      await trx.transaction((inner) => note(inner, "inner"));
      const failing = trx.transaction(async (inner) => {
        await note(inner, "undone");
        await inner.run("select 1 / 0");
      });
      await expect(failing).rejects.toMatchObject({ code: "22012" });
    });
    expect(await notes()).toEqual(["outer", "inner"]);
  });

  test("a failed commit is an error, and the connection is lent again", async () => {
    const db = createDatabase({ url: database.url, poolSize: 1 });
    await db.run("create temporary table once (n integer unique deferrable initially deferred)");
    const twice = db.transaction((trx) => trx.rows("insert into once values (1), (1)"));
    await expect(twice).rejects.toMatchObject({ code: "23505" });
    expect(await db.rows("select count(*) as count from once")).toEqual([{ count: 0 }]);
    await db.close();
  });

  test("takes no statement after its end", async () => {
    const late = await database.db.transaction(async (trx) => () => note(trx, "late"));
    await expect(late()).rejects.toThrow("has ended");
    expect(await notes()).toEqual([]);
  });

  test("a name that occurs several times may have several types", async () => {
    const both = "select :value::text as text, :value::bigint as number";
    expect(await database.db.transaction((trx) => trx.rows(both, { value: 5 }))).toEqual([{ text: "5", number: 5 }]);
  });
});

describe("a connection that was taken out of the pool", () => {
  const processOf = async (held: Reader) => (await held.one<{ pid: number }>("select pg_backend_pid() as pid"))?.pid;

  test("is lent again once it was given back, and never after it was ended", async () => {
    const db = createDatabase({ url: database.url, poolSize: 1 });
    const first = await db.takeConnection();
    const pid = await processOf(first);
    first.giveBack();
    const again = await db.takeConnection();
    expect(await processOf(again)).toBe(pid);
    await again.end();
    expect(await processOf(db)).not.toBe(pid);
    await db.close();
  });

  test("ends without a report of the pool", async () => {
    const said: unknown[] = [];
    const logger = createLogger({ level: "warn", destination: { write: (line) => void said.push(line) } });
    const db = createDatabase({ url: database.url, poolSize: 1, logger });
    const held = await db.takeConnection();
    await held.end();
    await db.run("select 1");
    await db.close();
    expect(said).toEqual([]);
  });

  test("fails a statement that takes too long", async () => {
    const held = await database.db.takeConnection({ answerTimeoutMillis: 50 });
    await expect(held.run("select pg_sleep(10)")).rejects.toMatchObject({ id: "DATABASE_UNAVAILABLE" });
    await held.end();
  });
});

describe("failures", () => {
  const impatient = { statementTimeoutSeconds: 1, silenceGraceSeconds: 0.5 };

  test("an unreachable server is DATABASE_UNAVAILABLE", async () => {
    const db = createDatabase({ url: "postgres://nobody:x@127.0.0.1:1/none", poolSize: 1 });
    const error = await db.rows("select 1").catch((reason: unknown) => reason);
    await db.close();
    expect(error).toBeInstanceOf(RelayError);
    expect((error as RelayError).id).toBe("DATABASE_UNAVAILABLE");
    expect((error as RelayError).message).not.toContain("127.0.0.1");
  });

  test("a connection cut in a transaction is DATABASE_UNAVAILABLE, and the next statement has a new one", async () => {
    const cut = database.db.transaction(async (trx) => {
      await trx.run("select pg_terminate_backend(pg_backend_pid())");
      await trx.run("select 1");
    });
    await expect(cut).rejects.toMatchObject({ id: "DATABASE_UNAVAILABLE" });
    expect(await one("1")).toBe(1);
  });

  test("a statement that times out is DATABASE_UNAVAILABLE", async () => {
    const db = createDatabase({ url: database.url, poolSize: 1, statementTimeoutSeconds: 1 });
    await expect(db.rows("select pg_sleep(10)")).rejects.toMatchObject({ id: "DATABASE_UNAVAILABLE" });
    await db.close();
  });

  test("a statement that gets no answer fails, in the pool and in a transaction", async () => {
    const url = new URL(database.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    const db = createDatabase({ url: url.href, poolSize: 2, ...impatient });
    try {
      await Promise.all([db.rows("select 1"), db.rows("select pg_sleep(0.1)")]);
      const connected = proxy.connections();
      proxy.requests = "hold";
      const outcomes = await Promise.allSettled([db.rows("select 1"), db.transaction((trx) => trx.rows("select 1"))]);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: "rejected", reason: { id: "DATABASE_UNAVAILABLE" } });
      }
      expect(connected).toBe(2);
      proxy.requests = "pass";
      expect(await db.rows("select 2 as value")).toEqual([{ value: 2 }]);
    } finally {
      proxy.requests = "pass";
      await db.close();
      await proxy.stop();
    }
  });

  test("an idle connection is kept, and a statement without a time limit waits", async () => {
    const db = createDatabase({ url: database.url, poolSize: 1, ...impatient });
    const ownProcess = async () => (await db.one<{ pid: number }>("select pg_backend_pid() as pid"))?.pid;
    try {
      const before = await ownProcess();
      await new Promise((resolve) => setTimeout(resolve, 1_700));
      expect(await ownProcess()).toBe(before);
      const slow = await db.migrating((trx) => trx.rows("select 1 as value from pg_sleep(1.7)"));
      expect(slow).toEqual([{ value: 1 }]);
    } finally {
      await db.close();
    }
  });

  test("a transaction that goes on after a failed statement says that it was rolled back", async () => {
    const silent = database.db.transaction(async (trx) => {
      await trx.run("create table half_done (value integer)");
      await trx.rows("select 1 / 0").catch(() => undefined);
    });
    await expect(silent).rejects.toThrow(/rolled back/);
    expect(await one("to_regclass('half_done')")).toBeNull();
  });

  test("an error of the statement itself passes through", async () => {
    await expect(one("1 / 0")).rejects.toMatchObject({ code: "22012" });
  });
});
