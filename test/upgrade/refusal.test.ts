import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schemaText } from "../../scripts/schema/text.js";
import { createProgram } from "../../src/cli/program.js";
import type { Database } from "../../src/database/db.js";
import { runCommand, runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const masterKey = randomBytes(32).toString("hex");
const device = "a".repeat(64);

/** Every command that opens the database, with arguments. */
const opening: Readonly<Record<string, readonly string[]>> = {
  status: [],
  doctor: [],
  migrate: [],
  distribute: [],
  "settings list": [],
  "settings set": ["server.max_retention_days=7"],
  "settings apply": ["community"],
  "keys list": [],
  "keys rotate": [],
  "keys revoke": ["some-key"],
  "keys rotate-master": [],
  "keys replace-push": [],
  "admin add": [device],
  "admin list": [],
  "admin remove": [device],
  "ips unban": ["192.0.2.1"],
  "devices list": [],
  "devices find": [device],
  "devices show": [device],
  "devices block": [device],
  "devices unblock": [device],
  "devices delete": [device, "--yes"],
  "blobs delete": ["ab".repeat(32)],
  "peers list": [],
  "peers show": ["peer.example"],
  "peers block": ["peer.example", "--reason", "spam"],
  "peers unblock": ["peer.example"],
  "invites list": [],
  "invites create": [],
  "invites revoke": ["some-invite"],
  "outbox list": [],
  "outbox retry": ["peer.example"],
  "outbox purge": ["peer.example"],
  "clock show": [],
  "clock accept": [],
  backup: ["/nowhere/file"],
  restore: ["<a backup>"],
  "after-restore": [],
  console: [],
};

/** Commands that open no database, or one that they make; `serve` is tested as a process. */
const others = ["serve", "completion", "config", "settings presets", "admin keygen", "admin login"];

const env = (database: TestDatabase) => ({
  DATABASE_URL: database.url,
  MASTER_KEY: masterKey,
  DOMAIN: "relay.test",
  BASE_URL: "http://relay.test",
  PORT: "0",
  LOG_LEVEL: "error",
});

let folder: string;
let backup: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-refusal-"));
  backup = join(folder, "present.backup");
  const database = await createTestDatabase();
  expect(await runCommand(["backup", backup, "--quiet"], env(database))).toMatchObject({ code: 0 });
  await database.drop();
});
afterAll(() => rm(folder, { recursive: true }));

/** The schema, and the tables to which a start or a command writes first. */
async function contentOf({ db }: TestDatabase): Promise<unknown> {
  const tables = ["secrets", "signing_keys", "settings", "nodes", await journalOf(db)];
  const contents = await Promise.all(tables.map((table) => db.rows(`select * from ${table} order by 1`)));
  return { schema: await schemaText(db), contents };
}

/** The table with the schema's steps, which an earlier state names otherwise. */
async function journalOf(db: Database): Promise<string> {
  const found = await db.one<{ name: string }>(
    "select coalesce(to_regclass('knex_migrations'), to_regclass('schema_migrations'))::text as name",
  );
  return found?.name ?? "";
}

function namesOf(command: Command, before: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [before.join(" ")];
  return command.commands.flatMap((inner) => namesOf(inner, [...before, inner.name()]));
}

test("the list of commands is complete", async () => {
  expect(namesOf(await createProgram()).sort()).toEqual([...Object.keys(opening), ...others].sort());
});

describe.each([
  {
    state: "an earlier state",
    change: "alter table knex_migrations rename to schema_migrations",
    refusal: /earlier state of the relay: commit ad09188c is the last one .*nothing was changed.*new, empty database/,
  },
  {
    state: "a newer version",
    change: "insert into knex_migrations (name) values ('9999-of-a-later-version')",
    refusal: /newer version.*9999-of-a-later-version.*restore a backup from before the upgrade/,
  },
])("a database of $state", ({ change, refusal }) => {
  let database: TestDatabase;
  let before: unknown;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.run(change);
    before = await contentOf(database);
  });
  afterAll(() => database.drop());

  test.each(["serve", "migrate"])("is refused by the process `%s`, and stays as it was", async (command) => {
    const { code, stdout, stderr } = await runCommand([command], env(database));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(refusal);
    expect(await contentOf(database)).toEqual(before);
  });

  test.each(Object.entries(opening))("is refused by `%s`, and stays as it was", async (command, args) => {
    const given = args.map((one) => (one === "<a backup>" ? backup : one));
    const { code, stdout, stderr } = await runHere([...command.split(" "), ...given], env(database));
    // `doctor` shows the refusal among its findings.
    expect(command === "doctor" ? stdout : stderr).toMatch(refusal);
    if (command !== "doctor") expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(await contentOf(database)).toEqual(before);
  });
});
