import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evaluateSpace } from "../../src/cli/doctor-machine.js";
import { describeProblem } from "../../src/cli/problem.js";
import { ConfigError } from "../../src/platform/config/variables.js";
import { runHere } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { transpiled } from "../support/transpiled.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-problem-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A cause in one line, a next step in another, and nothing else. */
const twoLines = /^mls-relay: [^\n]+\n {2}-> [^\n]+\n?$/;

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  const outcome = await work().then(
    () => undefined,
    (problem: unknown) => problem,
  );
  expect(outcome).toBeInstanceOf(Error);
  return outcome;
}

/** An error as Node.js makes it for a call of the system that a test cannot make fail everywhere. */
function systemError(code: string, members: Partial<NodeJS.ErrnoException & { address: string; port: number }>): Error {
  return Object.assign(new Error(`${code}: as the system words it`), { code, ...members });
}

describe("an error of the system", () => {
  test("becomes a cause and a next step, without a stack", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const failures: Readonly<Record<string, () => Promise<unknown>>> = {
      [`there is no ${file}-missing (ENOENT)`]: () => readFile(`${file}-missing`),
      [`${file} already exists and is not overwritten (EEXIST)`]: () => writeFile(file, "", { flag: "wx" }),
      [`a part of the path ${file}/x is a file, not a folder (ENOTDIR)`]: () => readFile(`${file}/x`),
      "the file is a folder, not a file (EISDIR)": () => readFile(folder),
      "the disk of the file is full (ENOSPC)": () => writeFile("/dev/full", "x"),
    };
    for (const [cause, work] of Object.entries(failures)) {
      const text = describeProblem(await failureOf(work));
      expect(text).toMatch(twoLines);
      expect(text).toContain(`mls-relay: ${cause}\n`);
    }
  });

  test.each([
    ["EACCES", { path: "/etc/shadow", syscall: "open" }, "this account may not use /etc/shadow"],
    ["EACCES", { address: "::", port: 80, syscall: "listen" }, "this account may not listen at [::]:80"],
    ["ENOSPC", { path: "/data/x", syscall: "mkdir" }, "the disk of /data/x is full"],
    ["EROFS", { path: "/data/x", syscall: "mkdir" }, "/data/x is on a read-only file system"],
    ["ENOENT", { path: "psql", syscall: "spawn psql" }, "there is no program psql"],
    ["EMFILE", { syscall: "open" }, "this process has as many open files as it may have"],
  ])("names what is concerned: %s %o", (code, members, cause) => {
    const text = describeProblem(systemError(code, members));
    expect(text).toMatch(twoLines);
    expect(text).toContain(`mls-relay: ${cause} (${code})\n`);
  });

  test("shows its stack at level debug only", async () => {
    const problem = new Error("outer", { cause: new Error("inner") });
    expect(describeProblem(problem)).toBe("mls-relay: outer: inner");
    expect(describeProblem(problem, { withStack: true })).toMatch(/^mls-relay: outer: inner\nError: outer\n {4}at /);
    expect(describeProblem(new ConfigError(["PORT is wrong"]))).toBe("configuration: PORT is wrong");
  });
});

describe("a command that fails", () => {
  test.each([
    ["a database that does not listen", { DATABASE_URL: "postgres://a:hunter2@127.0.0.1:9/x" }, "nothing listens at"],
    ["a database whose host there is not", { DATABASE_URL: "postgres://a:hunter2@db.invalid/x" }, "db.invalid"],
  ])("says so in two lines: %s", async (_, env, cause) => {
    for (const args of [["migrate"], ["serve"], ["status"], ["keys", "list"]]) {
      const { code, stderr } = await runHere(args, { ...env, DATA_DIR: folder, PORT: "0", LOG_LEVEL: "error" });
      expect(code, args.join(" ")).toBe(1);
      expect(stderr).toMatch(twoLines);
      expect(stderr).toMatch(/^mls-relay: the database cannot be reached at the moment: /);
      expect(stderr).toContain(cause);
      expect(stderr).toContain("DATABASE_URL");
      expect(stderr).not.toContain("hunter2");
    }
  });

  test("says what PostgreSQL says, without the statement", async () => {
    const database = await createTestDatabase({ empty: true });
    await database.db.run("create table devices (device_id text)");
    const { code, stderr } = await runHere(["migrate"], { DATABASE_URL: database.url });
    await database.drop();
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'mls-relay: relation "devices" already exists\n' });
  });

  test("says so in two lines: a file, a key, a server", async () => {
    const key = join(folder, "key.pem");
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as { port: number };
    await new Promise((resolve) => listener.close(resolve));
    const url = `http://127.0.0.1:${port}`;
    expect(await runHere(["admin", "keygen", "--out", key], {})).toMatchObject({ code: 0 });
    for (const args of [
      ["admin", "keygen", "--out", join(key, "below")],
      ["backup", "--verify", join(folder, "missing")],
      ["admin", "login", "--key", key, "--url", url],
      ["admin", "login", "--key", key, "--url", "http://relay.invalid"],
    ]) {
      const { code, stderr } = await runHere(args, {});
      expect(code, args.join(" ")).toBe(1);
      expect(stderr).toMatch(twoLines);
    }
    const missing = await runHere(["admin", "login", "--key", join(folder, "none.pem"), "--url", url], {});
    expect(missing.stderr).toContain("mls-relay admin keygen");
  });

  test("says that its output cannot be written, and not that a reader has seen enough", async () => {
    const program = `"${process.execPath}" "${transpiled("src/cli/main.ts")}"`;
    const full = await shell(`${program} config > /dev/full`);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(twoLines) });
    const closed = await shell(`set -o pipefail; ${program} config --json | head -c 1`);
    expect(closed).toMatchObject({ code: 0, stderr: "" });
  });
});

test("a disk is well, scarce or full", () => {
  const gibibyte = 1024 ** 3;
  const stateOf = (free: number, total: number) => evaluateSpace("/data", { free, total }).state;
  expect(stateOf(50 * gibibyte, 100 * gibibyte)).toBe("ok");
  expect(stateOf(9 * gibibyte, 100 * gibibyte)).toBe("warning");
  expect(stateOf(0, 100 * gibibyte)).toBe("failure");
  expect(evaluateSpace("/data", { free: 1024 ** 2, total: 100 * gibibyte })).toMatchObject({
    state: "failure",
    message: expect.stringContaining("(1 MiB) free in /data"),
    advice: expect.stringContaining("free some space"),
  });
  // Some file systems have no size.
  expect(stateOf(0, 0)).toBe("ok");
});

function shell(command: string): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile("bash", ["--norc", "-c", command], { env: { PATH: process.env["PATH"] ?? "" } }, (error, _, stderr) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, stderr }),
    );
  });
}
