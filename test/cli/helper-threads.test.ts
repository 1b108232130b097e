import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { childrenOf } from "../support/children.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { isMissing, programs } from "../support/programs.js";
import { until } from "../support/until.js";

const project = fileURLToPath(new URL("../..", import.meta.url));
const node = programs["node-24"].find() ?? "";
let database: TestDatabase;
let folder: string;
let started: ChildProcess | undefined;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), "mls-relay-threads-"));
});
/** A failed test may leave a relay that npm has started, and that would outlive npm. */
afterEach(() => {
  const isRunning = started?.exitCode === null && started.signalCode === null;
  if (isRunning && started?.pid !== undefined) process.kill(-started.pid, "SIGKILL");
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

interface Started {
  child: ChildProcess;
  pid: number;
}

/** Starts a relay that may use one processor, and waits until it serves. */
async function serve(command: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Started> {
  const env = {
    PATH: [dirname(node), process.env["PATH"]].join(delimiter),
    ...{ DATABASE_URL: database.url, DATA_DIR: folder, PORT: "0", NODE_ENV: "production" },
    ...more,
  };
  const child = spawn("taskset", ["--cpu-list", "0", ...command], {
    cwd: project,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  started = child;
  let written = "";
  child.stderr.on("data", (chunk) => {
    written += String(chunk);
  });
  await until(async () => / at http[\s\S]*master key/.test(written), "the relay serves");
  // The restart must print nothing, such as that `execve` is experimental.
  expect(written).not.toContain("Warning");
  return { child, pid: child.pid ?? 0 };
}

/** How many each of these processes has, without those that are not Node.js. */
async function helperThreads(pids: readonly number[]): Promise<number[]> {
  const counts = pids.map(async (pid) => {
    const tasks = await readdir(`/proc/${pid}/task`);
    const names = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/comm`, "utf8")));
    return names.filter((name) => name.trim() === "V8Worker").length;
  });
  return (await Promise.all(counts)).filter((count) => count > 0);
}

/** The processes that this one has started, and those that they have started. */
async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

describe.skipIf(process.platform !== "linux" || isMissing("node-24"))("V8 in a relay on one processor", () => {
  test("has one helper thread when the launcher starts it, in the same process, which drains on SIGTERM", async () => {
    const { child, pid } = await serve(["scripts/mls-relay", "serve"]);
    expect(await helperThreads([pid])).toEqual([1]);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("has one in each process when npm starts it with workers, also if NODE_OPTIONS has other options", async () => {
    const other = "--stack-trace-limit=20";
    const { child, pid } = await serve(["npm", "start", "--", "--workers", "2"], { NODE_OPTIONS: other });
    const relay = await descendantsOf(pid);
    expect(await helperThreads(relay)).toEqual([1, 1, 1]);
    const ended = once(child, "exit");
    process.kill(relay.at(-3) ?? 0, "SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("has as many as the operator says", async () => {
    const program = "dist/src/cli/main.js";
    const byVariable = await serve([node, program, "serve"], { NODE_OPTIONS: "--v8_pool_size=3" });
    expect(await helperThreads([byVariable.pid])).toEqual([3]);
    byVariable.child.kill("SIGKILL");
    const byCommandLine = await serve([node, "--v8-pool-size=2", program, "serve"]);
    expect(await helperThreads([byCommandLine.pid])).toEqual([2]);
  });
});
