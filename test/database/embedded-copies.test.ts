import { execFile } from "node:child_process";
import { chmod, readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, copyFolder, createFolder, serverPid, startEmbedded, startOtherProcess } from "../support/embedded.js";
import { until } from "../support/until.js";

const exec = promisify(execFile);
const remember = "create table memory (word text); insert into memory values ('kept')";
const kept = [{ word: "kept" }];
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

let made: Awaited<ReturnType<typeof createFolder>>;
let folder: string;
let data: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  made = await createFolder(0o711);
  const postgres = await startEmbedded(made.folder);
  await ask(postgres.url, remember);
  await postgres.stop();
});
beforeEach(async () => {
  ({ folder, remove } = await createFolder(0o711));
  await copyFolder(made.folder, folder);
  data = path.join(folder, "postgres/data");
});
afterEach(() => remove());
afterAll(() => made.remove());

/** Starts a server on the copy. The log has one line for each kind of repair, and none without one. */
async function expectKept(repairs: readonly RegExp[]): Promise<void> {
  const log: string[] = [];
  const postgres = await startEmbedded(folder, undefined, undefined, (line) => log.push(line));
  expect(await ask(postgres.url, "select word from memory")).toEqual(kept);
  await postgres.stop();
  expect(log).toEqual(repairs.map((repair) => expect.stringMatching(repair)));
}

const modeOf = async (file: string) => (await stat(file)).mode & 0o7777;

describe("a copy of a data folder", () => {
  test("that kept everything needs no repair", () => expectKept([]));

  test("may have got permissions for a group", async () => {
    await exec("sh", ["-c", 'chmod -R g+rwX "$0" && find "$0" -type d -exec chmod g+s {} +', folder]);
    await expectKept([/open to other accounts/]);
    expect(await modeOf(data)).toBe(0o700);
    expect(await modeOf(path.join(folder, "postgres/password"))).toBe(0o600);
  });

  test.runIf(isRoot)("may belong to root", async () => {
    await exec("chown", ["-R", "0:0", folder]);
    await expectKept([/belonged to root/]);
    expect((await stat(data)).uid).not.toBe(0);
  });

  test("may have lost its empty folders", async () => {
    const removed = await removeEmptyFolders(data);
    expect(removed).toContain("pg_notify");
    await expectKept([/lost empty folders.*pg_notify|pg_notify.*lost empty folders/]);
  });

  test.each([
    "PG_VERSION",
    "global/pg_control",
    "pg_xact",
    "pg_wal",
    "base/1",
  ])("without %s is refused", async (name) => {
    await rm(path.join(data, name), { recursive: true });
    await expect(startEmbedded(folder)).rejects.toThrow(`incomplete copy of a data folder: ${name} is missing`);
    expect(await readdir(data)).not.toContain("postmaster.pid");
  });

  test.runIf(isRoot)("that an ordinary account cannot use is refused, with the command that helps", async () => {
    const within = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    await expect(startOtherProcess(folder, { within })).rejects.toThrow(`chown -R 65534:65534 ${folder}`);
    await exec("chown", ["-R", "65534:65534", folder]);
    await exec("chown", ["-R", "12345", data]);
    await expect(startOtherProcess(folder, { within })).rejects.toThrow(`chown -R 65534:65534 ${folder}`);
  });
});

test("variables of PostgreSQL's clients do not apply", async () => {
  const variables = [
    "PGSSLMODE=verify-full",
    "PGSSLNEGOTIATION=direct",
    "PGOPTIONS=-c default_transaction_read_only=on",
    "PGSERVICE=other",
    "PGHOST=192.0.2.1",
    "PGPORT=1",
    "PGDATABASE=other",
    "PGCLIENT_ENCODING=LATIN1",
    "PGREPLICATION=true",
  ];
  const other = await startOtherProcess(folder, { within: ["env", ...variables] });
  expect(await ask(other.url, "select word from memory")).toEqual(kept);
  await other.leave();
});

test("a server that refuses the relay is reported at once, with its reason, and stops", async () => {
  const rules = path.join(data, "pg_hba.conf");
  await writeFile(rules, "host all all 127.0.0.1/32 reject\n");
  await chmod(rules, 0o644);
  await expect(startEmbedded(folder)).rejects.toThrow(/pg_hba\.conf/);
  await until(async () => (await serverPid(folder)) === undefined, "the server has stopped");
});

/** Returns their names. */
async function removeEmptyFolders(parent: string): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const place = path.join(parent, entry.name);
    removed.push(...(await removeEmptyFolders(place)));
    if ((await readdir(place)).length > 0) continue;
    await rmdir(place);
    removed.push(entry.name);
  }
  return removed;
}
