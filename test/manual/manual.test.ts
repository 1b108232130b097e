import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../src/database/migrations/migrate.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { adminKeys } from "../support/admin.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { shareOf } from "../support/shares.js";
import { type Block, blocksOf, type Mode, pagesOfManual } from "./blocks.js";
import { createShell, type Shell } from "./shell.js";

/** Of the pages beside a relay, and of the commands that start one. Those that stop it to restore or delete run each day. */
const shares = 3;

const pages = await pagesOfManual();
const blocks = (await Promise.all(pages.map(blocksOf))).flat();

describe("the marks of the manual", () => {
  test("every block of shell commands is run, or says why not", () => {
    const unmarked = blocks.filter(({ mark }) => mark === null);
    expect(unmarked.map(({ page, line }) => `${page}:${line} has no mark`)).toEqual([]);
  });

  test("a block that is marked is in the language that the shell runs", () => {
    for (const { page, line, commands } of blocks) expect(commands.trim(), `${page}:${line}`).not.toBe("");
  });
});

/** What a reader replaces by something of their own, and what the test replaces it by. */
interface Replacements {
  databaseUrl: string;
  url: string;
  port: number;
  folder: string;
  deviceId: string;
}

/** Names of the manual's examples: an operator has other ones, and so has the test. */
function replaceNames(commands: string, names: Replacements): string {
  const backups = path.join(names.folder, "backups");
  return commands
    .replaceAll("npm ci && ", "")
    .replaceAll("npm start --", "mls-relay serve")
    .replaceAll("npm start", "mls-relay serve")
    .replaceAll("postgres://relay:secret@db.example/relay", names.databaseUrl)
    .replaceAll("http://localhost:8080", names.url)
    .replaceAll("https://relay.example", names.url)
    .replaceAll("127.0.0.1:8443", `127.0.0.1:${names.port}`)
    .replaceAll("/var/backups", backups)
    .replaceAll("/var/lib/mls-relay", path.join(names.folder, "data"))
    .replaceAll("age1…", "age1gde3ncmahlqd9gg50tanl99r960llztrhfapnmx853s4tjum03uqfssgdh")
    .replaceAll(/<public[_ ]key>/g, adminKeys().publicKey)
    .replaceAll("<device_id>", names.deviceId);
}

function selected(mode: Mode): Map<string, Block[]> {
  const found = blocks.filter(({ mark }) => mark !== null && "mode" in mark && mark.mode === mode);
  const byPage = new Map<string, Block[]>();
  for (const block of found) byPage.set(block.page, [...(byPage.get(block.page) ?? []), block]);
  return byPage;
}

const marker = ":::block";
/** What a reader has done before, on the page of administration. */
const logIn = "mls-relay admin keygen; mls-relay admin add; TOKEN=$(mls-relay admin login)";

/** Runs blocks in one shell, and names the one at which it ended. */
async function runBlocks(
  shell: Shell,
  given: readonly Block[],
  namesOf: (block: Block) => Replacements | Promise<Replacements>,
): Promise<void> {
  const parts: string[] = [];
  const all = given.map(({ commands }) => commands).join("\n");
  if (all.includes("$TOKEN") && !all.includes("admin keygen")) parts.push(logIn);
  for (const block of given) {
    parts.push(`echo "${marker} ${block.line}"`, replaceNames(block.commands, await namesOf(block)));
  }
  const { code, output } = await shell.run(parts.join("\n"));
  const line = output
    .split("\n")
    .findLast((one) => one.startsWith(marker))
    ?.slice(marker.length + 1);
  expect(code, `${given[0]?.page}:${line}\n${output.slice(-3000)}`).toBe(0);
}

/** What there is on the relay of a page before its commands: for commands about something that only use brings. */
async function prepare({ db }: TestDatabase, deviceId: string): Promise<void> {
  await db.run(
    `insert into devices (device_id, public_key, registered_at, last_active, blocked_at)
     values (:deviceId, decode(:deviceId, 'hex'), 1700000000, 1700000000, 1)`,
    { deviceId },
  );
  await db.run(
    `insert into outbox_destinations (domain, last_position, messages, bytes, used_at, next_attempt_millis, failures, problem)
     values ('peer.example', 1, 1, 3, 1, 99999999999999, 4, 'timeout')
     on conflict do nothing`,
  );
  await db.run(
    `insert into outbox (domain, position, message_id, recipient, ciphertext, sender_signature, sent_at, dedup_tag,
                         accepted_at, expires_at)
     values ('peer.example', 1, gen_random_uuid(), gen_random_uuid(), '\\x010203', 'x', 1, '\\x00', 1, 99999999999)
     on conflict do nothing`,
  );
}

describe("the commands of the manual", () => {
  let root: string;
  const opened: TestDatabase[] = [];

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), "mls-relay-manual-"));
  });
  afterAll(async () => {
    for (const database of opened) await database.drop();
    await rm(root, { recursive: true });
  });

  /** A place as an operator has it: a folder, a database, a free port. */
  async function open(name: string, options: { empty?: boolean } = {}) {
    const database = await createTestDatabase(options);
    opened.push(database);
    const folder = path.join(root, name.replaceAll("/", "-"));
    await mkdir(path.join(folder, "backups"), { recursive: true });
    await mkdir(path.join(folder, "data"));
    const port = await findFreePort();
    const url = `http://localhost:${port}`;
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: path.join(folder, "data"),
      PORT: String(port),
      LOG_LEVEL: "warn",
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
      FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
      FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
    };
    const shell = await createShell(folder, env);
    const deviceId = randomBytes(32).toString("hex");
    const names = { databaseUrl: database.url, url, port, folder, deviceId };
    return { database, env: shell.env, shell, names };
  }

  /** Restores go into a database other than the one that is backed up. */
  async function withTarget(names: Replacements): Promise<Replacements> {
    const target = await createTestDatabase({ empty: true });
    opened.push(target);
    return { ...names, databaseUrl: target.url };
  }

  describe("beside a relay", () => {
    let place: Awaited<ReturnType<typeof open>>;
    let relay: RunningCommand;

    beforeAll(async () => {
      place = await open("relay");
      relay = startCommand(["serve"], place.env);
      await relay.seen(/ at http/);
    });
    afterAll(async () => {
      relay.kill("SIGTERM");
      await relay.ended;
    });

    for (const [page, found] of shareOf([...selected("run")], shares)) {
      test(page, async () => {
        const folder = path.join(root, page.replaceAll("/", "-"));
        await mkdir(path.join(folder, "backups"), { recursive: true });
        const names = { ...place.names, folder, deviceId: randomBytes(32).toString("hex") };
        await prepare(place.database, names.deviceId);
        const { HOME: _, PATH: __, ...env } = place.env;
        await runBlocks(await createShell(folder, env), found, () => names);
      });
    }
  });

  for (const [page, found] of selected("run stopped")) {
    test(`${page}, while the relay is stopped`, async () => {
      const place = await open(`${page}-stopped`, { empty: true });
      await migrate(place.database.db);
      // A key, so that there is something to keep, and a backup that the reader has.
      expect(await place.shell.run("mls-relay keys rotate && mls-relay backup relay.backup")).toMatchObject({
        code: 0,
      });
      await runBlocks(place.shell, found, () => withTarget(place.names));
    });
  }

  for (const block of [...selected("run empty").values()].flat()) {
    test(`${block.page}:${block.line}, on an empty database`, async () => {
      const place = await open(`${block.page}-${block.line}`, { empty: true });
      await runBlocks(place.shell, [block], () => place.names);
    });
  }

  for (const block of shareOf([...selected("serve").values()].flat(), shares)) {
    test(`${block.page}:${block.line} starts a relay`, async () => {
      for (const [at, command] of logicalLines(block.commands).entries()) {
        const place = await open(`${block.page}-${block.line}-${at}`, { empty: true });
        const { code, output } = await place.shell.runUntil(replaceNames(command, place.names), / at http/);
        expect(code, `${command}\n${output.slice(-3000)}`).toBe(0);
      }
    });
  }
});

/** Lines that a backslash continues are one. */
function logicalLines(commands: string): string[] {
  return commands
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
}
