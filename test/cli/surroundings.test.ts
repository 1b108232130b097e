import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { runCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { transpiled } from "../support/transpiled.js";

const smallDiskBytes = 200 * 1024 * 1024;

let folder: string;
let database: TestDatabase;
let isMounted: boolean;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-surroundings-"));
  const options = `size=${smallDiskBytes},mode=755`;
  isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0;
});
afterAll(async () => {
  await database.drop();
  if (isMounted) spawnSync("umount", ["--lazy", folder]);
  await rm(folder, { recursive: true, force: true });
});

test("variables of libpq do not reach the embedded database, and commands work beside it while its disk is full", async ({
  skip,
}) => {
  if (!isMounted) return skip();
  const env = { DATA_DIR: join(folder, "data"), PORT: String(await findFreePort()) };
  const foreign = { PGSSLMODE: "verify-full", PGOPTIONS: "-c default_transaction_read_only=on", PGHOST: "192.0.2.1" };
  const relay = startCommand(["serve"], { ...env, ...foreign });
  await relay.seen(/mls-relay serves/);
  // PostgreSQL's own files for new sessions are made while there is room.
  expect(await runCommand(["status"], { ...env, ...foreign })).toMatchObject({ code: 0 });
  const filler = join(folder, "filler");
  spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1k"]);
  expect((await stat(filler)).size).toBeGreaterThan(0);
  const elsewhere = await mkdtemp(join(tmpdir(), "mls-relay-elsewhere-"));
  for (const args of [
    ["status"],
    ["settings", "list"],
    ["devices", "list"],
    ["backup", join(elsewhere, "relay.backup"), "--quiet"],
  ]) {
    expect(await runCommand(args, env), args.join(" ")).toMatchObject({ code: 0, stderr: "" });
  }
  const { stdout } = await runCommand(["doctor", "--json"], env);
  const findings: { check: string; state: string; message: string }[] = JSON.parse(stdout);
  const failures = findings.filter(({ state }) => state === "failure").map(({ check }) => check);
  expect(failures).toEqual(["disk"]);
  expect(await runCommand(["backup", "--verify", join(elsewhere, "relay.backup"), "--quiet"], {})).toMatchObject({
    code: 0,
  });
  await rm(elsewhere, { recursive: true });
  await rm(filler);
  relay.kill("SIGTERM");
  expect(await relay.ended).toMatchObject({ code: 0 });
});

describe("one line says the cause, and another what to do", () => {
  test("if a password in DATABASE_URL is not encoded", async () => {
    for (const password of ["12#x", "pa/x", "pa?x", "12/x"]) {
      const { code, stderr } = await runCommand(["status"], {
        DATABASE_URL: `postgres://relay:${password}@127.0.0.1/db`,
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^configuration: DATABASE_URL must be a postgres:\/\/ URL, in whose password #.*%23.*\n$/);
      expect(stderr).not.toContain(password);
    }
  });

  test.skipIf(process.getuid?.() !== 0)("if an account without a home folder makes a key", async () => {
    const program = transpiled("src/cli/main.ts");
    const asNobody = (args: string[], env: Record<string, string> = {}) =>
      spawnSync("setpriv", ["--reuid=54321", "--clear-groups", process.execPath, program, ...args], {
        env: { PATH: process.env["PATH"] ?? "", ...env },
        encoding: "utf8",
      });
    expect(asNobody(["--help"])).toMatchObject({ status: 0 });
    expect(asNobody(["admin", "keygen"])).toMatchObject({
      status: 1,
      stderr: "mls-relay: this account has no home folder for the key file: set HOME, or name the file with --out\n",
    });
    // Debian's nobody has such a home, and a unit with DynamicUser the root folder.
    for (const HOME of ["/nonexistent", "/"]) {
      const { status, stderr } = asNobody(["admin", "keygen"], { HOME });
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^mls-relay: \/.* cannot be made for the key; `--out FILE` names another place: .*\n {2}-> .*\n$/,
      );
    }
  });

  test("if there is no folder for a backup, or only a folder", async () => {
    const target = await mkdtemp(join(tmpdir(), "mls-relay-target-"));
    const missing = join(target, "missing");
    for (const [file, said] of [
      [join(missing, "relay.backup"), `there is no folder ${missing} for the backup: create it, or choose another`],
      [target, `${target} is a folder: name a new file in it for the backup`],
    ] as const) {
      const { code, stderr } = await runCommand(["backup", file], { DATABASE_URL: database.url });
      expect({ code, stderr }).toEqual({ code: 1, stderr: `mls-relay: ${said}\n` });
    }
    await rm(target, { recursive: true });
  });
});
