import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { onTerminal } from "../support/terminal.js";

const masterKey = randomBytes(32).toString("hex");

let source: TestDatabase;
let empty: TestDatabase;
let folder: string;
let file: string;
const envFor = ({ url }: TestDatabase) => ({
  DATABASE_URL: url,
  MASTER_KEY: masterKey,
  DOMAIN: "relay.test",
  DATA_DIR: folder,
});

beforeAll(async () => {
  [source, empty] = [await createTestDatabase(), await createTestDatabase({ empty: true })];
  folder = await mkdtemp(join(tmpdir(), "mls-relay-progress-"));
  file = join(folder, "made.backup");
  const relay = await startRelay({ databaseUrl: source.url, masterKey });
  const [ada, ben] = [await newDevice(relay), await newDevice(relay)];
  for (let i = 0; i < 20; i++) await ada.send(ben.address);
  await relay.stop();
});
afterAll(async () => {
  for (const one of [source, empty]) await one.drop();
  await rm(folder, { recursive: true });
});

/** Ends each drawing of the line. */
const erase = "\u001b[K";

/** The states of the progress line, in order, and what is on the screen at the end. */
function screensOf(written: string): { drawn: string[]; left: string[] } {
  const drawn = written.split(erase).slice(0, -1);
  const left = written.slice(written.lastIndexOf(erase) + erase.length).split("\n");
  return {
    drawn: drawn.map((text) => text.slice(text.lastIndexOf("\r") + 1)),
    left: left.map((line) => line.trim()).filter((line) => line !== ""),
  };
}

test("on a terminal, a line shows the part that is done and the time that is left, and goes when it is done", async () => {
  const slowly = ["backup", file, "--bytes-per-second", "40k"];
  const { drawn, left } = screensOf(await onTerminal(slowly, envFor(source)));
  expect(drawn[0]).toBe("backup  0 %");
  expect(drawn).toContainEqual(expect.stringMatching(/^backup {2}\d+ % {2}about \d+ (s|min \d+ s) left {2}\w+$/));
  expect(drawn.at(-1)).toBe("");
  const parts = drawn.flatMap((text) => (/^backup {2}(\d+) %/.exec(text)?.[1] ?? []) as string[]).map(Number);
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
  expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(80);
  expect(left).toEqual([
    expect.stringMatching(/^backup: \d+ bytes in \d+ s$/),
    expect.stringContaining("not encrypted"),
  ]);
});

test("the backup's checks, its restoration and a migration show their progress alike", async () => {
  const verified = screensOf(await onTerminal(["backup", "--verify", file], {}));
  expect(verified.drawn).toContainEqual(expect.stringMatching(/^verification {2}\d+ %/));
  expect(verified.left[0]).toMatch(/^verification: \d+ rows in \d+ tables in \d+ s$/);
  const migrated = screensOf(await onTerminal(["migrate"], envFor(empty)));
  expect(migrated.drawn).toContainEqual(expect.stringMatching(/^migration {2}\d+ % {2}about \d+ s left {2}\d{4}-/));
  expect(migrated.left[0]).toMatch(/^migration: \d+ steps in \d+ s$/);
  const restored = screensOf(await onTerminal(["restore", file], envFor(empty)));
  expect(restored.drawn).toContainEqual(expect.stringMatching(/^restore {2}\d+ %/));
  expect(restored.left[0]).toMatch(/^restore: \d+ rows in \d+ tables in \d+ s$/);
});

test("a failure takes the line away before it is told", async () => {
  const { left } = screensOf(await onTerminal(["backup", file], envFor(source)));
  expect(left[0]).toMatch(/^mls-relay: .* never replaces a file$/);
});

test("in a log, one line tells what was done, and with --quiet none", async () => {
  const again = join(folder, "again.backup");
  const { code, stderr } = await runCommand(["backup", again], envFor(source));
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^backup: \d+ bytes in \d+ s\n$/) });
  const checked = await runCommand(["backup", "--verify", again], {});
  expect(checked.stderr).toMatch(/^verification: \d+ rows in \d+ tables in \d+ s\n$/);
  expect((await runCommand(["backup", "--verify", again, "--quiet"], {})).stderr).toBe("");
  expect((await runCommand(["migrate"], envFor(source))).stderr).toBe("");
});
