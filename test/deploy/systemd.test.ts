import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig, variableNames } from "../../src/composition/config.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { isMissing, programs } from "../support/programs.js";
import { type NotifySocket, openNotifySocket } from "./notify-socket.js";
import { certificatePath, environmentOf, readUnit, unitPath } from "./unit.js";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const unit = await readUnit(unitPath);
const timeoutMillis = 240_000;
const lacksPrograms = isMissing("systemd-analyze") || isMissing("python3");
/** The exposure that `systemd-analyze security` gives at most, in tenths: 10 is unprotected, 0 perfectly isolated. */
const maxExposure = 22;

let folder: string;
let installed: string;

// The package as a person installs it, by the steps of docs/how-to/systemd.md: packed, and unpacked in a folder. Only its
// dependencies are not downloaded again.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-unit-"));
  installed = join(folder, "opt");
  await mkdir(installed);
  expect(existsSync(join(project, "dist/src/cli/main.js")), "npm run build comes first").toBe(true);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: project,
    maxBuffer: 2 ** 24,
  });
  const [{ filename }] = JSON.parse(stdout);
  await run("tar", ["-xzf", join(folder, filename), "--strip-components=1", "-C", installed]);
  await symlink(join(project, "node_modules"), join(installed, "node_modules"));
}, timeoutMillis);
afterAll(() => rm(folder, { recursive: true }));

describe("the package", () => {
  test("has the unit, and nothing that only tests or compilers use", async () => {
    expect(await readFile(join(installed, "deploy/systemd/mls-relay.service"), "utf8")).toBe(
      await readFile(unitPath, "utf8"),
    );
    for (const file of ["dist/transpiled", "dist/.tsbuildinfo", "test", "src"]) {
      expect(existsSync(join(installed, file)), file).toBe(false);
    }
  });
});

describe("the unit", () => {
  test("sets only variables that the relay knows", async () => {
    const known = [...variableNames(), "NODE_ENV"];
    for (const settings of [unit, await readUnit(certificatePath)]) {
      const env = environmentOf(settings, "/run/credentials/mls-relay.service");
      for (const name of Object.keys(env)) expect(known).toContain(name);
      const { NODE_ENV: _, ...variables } = env;
      expect(() => loadConfig(variables)).not.toThrow();
    }
  });

  test("hands every file of the environment over as a credential", async () => {
    const both = [unit, await readUnit(certificatePath)];
    const handedOver = both
      .flatMap((settings) => settings.get("LoadCredential") ?? [])
      .map((each) => each.split(":")[0]);
    const used = both.flatMap((settings) => Object.values(environmentOf(settings, "CREDENTIALS")));
    const files = used.filter((value) => value.startsWith("CREDENTIALS/")).map((value) => value.split("/")[1]);
    expect(files.toSorted()).toEqual(handedOver.toSorted());
  });

  test("waits for as long as the relay drains", () => {
    expect(Number(unit.get("TimeoutStopSec")?.[0])).toBeGreaterThan(loadConfig({}).shutdownGraceSeconds);
  });

  test.skipIf(lacksPrograms)("is valid, alone and with the certificate", { timeout: timeoutMillis }, async () => {
    const here = join(folder, "mls-relay.service");
    const text = await readFile(unitPath, "utf8");
    await writeFile(here, text.replaceAll("/opt/mls-relay", installed));
    await mkdir(`${here}.d`);
    await writeFile(`${here}.d/certificate.conf`, await readFile(certificatePath, "utf8"));
    const verified = await run(programs["systemd-analyze"].find() ?? "", ["verify", here]).catch((error) => error);
    const complaints = String(verified.stderr)
      .split("\n")
      // Of systemd 254; the unit says what older ones do without them. Other units of the machine are not our matter.
      .filter((line) => line.includes("mls-relay") && !/Unknown key.*'Restart(Steps|MaxDelaySec)'/.test(line));
    expect(complaints).toEqual([]);
  });

  test.skipIf(lacksPrograms)("leaves the relay little that it may do", { timeout: timeoutMillis }, async () => {
    const args = ["security", "--offline=true", `--threshold=${maxExposure}`, "--no-pager", unitPath];
    const { stdout } = await run(programs["systemd-analyze"].find() ?? "", args).catch((error) => error);
    const [, score] = /Overall exposure level for mls-relay.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(score) * 10).toBeLessThanOrEqual(maxExposure);
  });
});

describe.skipIf(lacksPrograms)("a relay that the unit's command starts", { timeout: timeoutMillis }, () => {
  let database: TestDatabase;
  let socket: NotifySocket;
  let credentials: string;

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    credentials = join(folder, "credentials");
    await mkdir(credentials);
    await writeFile(join(credentials, "master.key"), `${"5a".repeat(32)}\n`);
    await chmod(join(credentials, "master.key"), 0o400);
    await chmod(credentials, 0o500);
    socket = await openNotifySocket(join(folder, "notify.sock"));
  });
  afterAll(async () => {
    await socket.stop();
    await database.drop();
  });

  async function start(more: readonly string[], watchdogSeconds: number) {
    const [command = "", ...args] = (unit.get("ExecStart")?.[0] ?? "").replace("/opt/mls-relay", installed).split(" ");
    const state = join(folder, "state");
    await mkdir(state, { recursive: true });
    const env = {
      ...environmentOf(unit, credentials),
      ...{ PATH: process.env["PATH"] ?? "", DATA_DIR: state, DATABASE_URL: database.url, PORT: "0" },
      ...{ NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: String(watchdogSeconds * 1_000_000) },
    };
    const child = spawn(command, [...args, ...more], { env, cwd: state, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.resume();
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    return { child, ended };
  }

  test.each([
    ["in one process", []],
    ["in several processes", ["--workers", "2"]],
  ])("tells systemd when it serves, that it is alive and that it stops, %s", async (_, more) => {
    const before = socket.lines().length;
    const { child, ended } = await start(more, 2);
    try {
      await socket.received("READY=1", before);
      await socket.received("WATCHDOG=1", before);
      const alive = socket.lines().length;
      await socket.received("WATCHDOG=1", alive);
      child.kill("SIGTERM");
      await socket.received("STOPPING=1", before);
      expect(await ended).toBe(0);
    } finally {
      child.kill("SIGKILL");
    }
    const lines = socket.lines().slice(before);
    expect(lines.filter((line) => line === "READY=1")).toHaveLength(1);
    expect(lines.indexOf("READY=1")).toBeLessThan(lines.indexOf("WATCHDOG=1"));
    // The key is the credential: none was made in the state's folder.
    expect(existsSync(join(folder, "state/master.key"))).toBe(false);
  });

  test("gives no sign of life while it does nothing", async () => {
    const before = socket.lines().length;
    const { child, ended } = await start([], 2);
    try {
      await socket.received("WATCHDOG=1", before);
      child.kill("SIGSTOP");
      // One may be under way.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const stopped = socket.lines().length;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(socket.lines().slice(stopped)).toEqual([]);
      child.kill("SIGCONT");
      await socket.received("WATCHDOG=1", stopped);
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
  });
});
