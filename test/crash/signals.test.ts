import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test as base, beforeAll, describe, expect } from "vitest";
import { childrenOf } from "../support/children.js";
import { copyFolder, createFolder, serverPid, startEmbedded } from "../support/embedded.js";
import { isMissing } from "../support/programs.js";
import { shareOf } from "../support/shares.js";
import { openTerminal } from "../support/terminal.js";
import { transpiled } from "../support/transpiled.js";
import { until } from "../support/until.js";

// A relay with its embedded PostgreSQL is a process that people start in a terminal, under npm, under a supervisor. Whatever
// signal ends it, its PostgreSQL ends too.

const project = fileURLToPath(new URL("../..", import.meta.url));

interface Started {
  child: ChildProcess;
  ended: Promise<unknown[]>;
  url: string;
  postgres: number;
}

/** Making a PostgreSQL takes longest, so that each test has a copy of one. */
let made: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  made = await createFolder(0o711);
  await (await startEmbedded(made.folder)).stop();
});
afterAll(() => made.remove());

/** A folder for a relay and its log. */
async function createPlace() {
  const { folder, remove } = await createFolder(0o711);
  await copyFolder(made.folder, folder);
  const log = path.join(folder, "relay.log");
  const environment = (more: Record<string, string> = {}) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    DATA_DIR: folder,
    PORT: "0",
    ...more,
  });
  const written = () => readFile(log, "utf8").catch(() => "");
  const serving = async (hasWorkers = false): Promise<{ url: string; postgres: number }> => {
    const ready = hasWorkers ? / at (http\S+)[\s\S]*workers +2/ : / at (http\S+)/;
    await until(async () => ready.test(await written()), "the relay serves");
    const [, url = ""] = ready.exec(await written()) ?? [];
    return { url, postgres: (await serverPid(folder)) ?? 0 };
  };
  return {
    log,
    environment,
    serving,
    /** Starts it in a new process group, as a shell does. Its output goes to a file, because a reader may have died. */
    async serve(args: string[] = [], more: Record<string, string> = {}): Promise<Started> {
      const out = openSync(log, "a");
      const child = spawn(process.execPath, [transpiled("src/cli/main.ts"), "serve", ...args], {
        env: environment(more),
        detached: true,
        stdio: ["ignore", out, out],
      });
      const ended = once(child, "exit");
      return { child, ended, ...(await serving(args.includes("--workers"))) };
    },
    async logged(): Promise<{ msg: string; signal?: string }[]> {
      const lines = (await written()).split("\n").filter((line) => line.startsWith("{"));
      return lines.map((line) => JSON.parse(line));
    },
    async leave() {
      await gone(await serverPid(folder));
      await remove();
    },
  };
}

const test = base.extend<{ place: Awaited<ReturnType<typeof createPlace>> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from its first parameter.
  place: async ({}, use) => {
    const place = await createPlace();
    await use(place);
    await place.leave();
  },
});

/** A process that has ended is there until its parent asks how, which may be one that takes its time. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until there is no such process. */
async function gone(pid: number | undefined): Promise<void> {
  await until(async () => pid === undefined || !isAlive(pid), `process ${pid} has ended`);
}

/** A request that holds a drain back for as long as its body does not arrive. */
async function openRequest(url: string): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const slow = connect(Number(port), hostname);
  slow.on("error", () => {});
  slow.write(
    "POST /api/v1/announce/challenge HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  await until(async () => (await fetch(`${url}/healthz`)).status === 200, "the relay answers");
  return () => slow.destroy();
}

/** Waits until the relay takes no connections. */
async function refusing(url: string): Promise<void> {
  const isRefused = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
  await until(isRefused, "the relay refuses connections");
}

describe("a relay on its embedded PostgreSQL", () => {
  test.for(
    shareOf(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const, 4),
  )("drains on %s, and says so", async (signal, { place }) => {
    const { child, ended, postgres } = await place.serve();
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(isAlive(postgres)).toBe(false);
    expect(await place.logged()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: "stopping", signal }),
        expect.objectContaining({ msg: "stopped" }),
      ]),
    );
  });

  test("goes on draining while SIGHUP is repeated, as it is when a terminal closes", async ({ place }) => {
    const { child, ended, url, postgres } = await place.serve([], { SHUTDOWN_GRACE_SECONDS: "600" });
    const close = await openRequest(url);
    child.kill("SIGHUP");
    await refusing(url);
    child.kill("SIGHUP");
    child.kill("SIGHUP");
    close();
    expect(await ended).toEqual([0, null]);
    expect(isAlive(postgres)).toBe(false);
  });
});

describe("a relay with workers", () => {
  test("drains when its terminal closes, which signals the workers too", async ({ place }) => {
    const { child, ended, postgres } = await place.serve(["--workers", "2"]);
    process.kill(-(child.pid ?? 0), "SIGHUP");
    expect(await ended).toEqual([0, null]);
    expect(isAlive(postgres)).toBe(false);
    // One of the process that started them, one of each worker.
    expect((await place.logged()).filter(({ msg }) => msg === "stopped")).toHaveLength(3);
  });
});

/** Each waits for as long as a PostgreSQL outlives its relay, so they wait together. */
describe.concurrent("a relay that cannot drain", () => {
  test("ends at once on a second signal, and its PostgreSQL after it", async ({ place }) => {
    const { child, ended, url, postgres } = await place.serve([], { SHUTDOWN_GRACE_SECONDS: "600" });
    const close = await openRequest(url);
    child.kill("SIGTERM");
    await refusing(url);
    child.kill("SIGQUIT");
    expect(await ended).toEqual([null, "SIGQUIT"]);
    close();
    await gone(postgres);
  });

  test("takes its PostgreSQL with it when it is killed", async ({ place }) => {
    const { child, ended, postgres } = await place.serve();
    child.kill("SIGKILL");
    await ended;
    await gone(postgres);
  });

  test("leaves neither workers nor PostgreSQL when the process that started them is killed", async ({ place }) => {
    const { child, ended, postgres } = await place.serve(["--workers", "2"]);
    const workers = await childrenOf(child.pid ?? 0);
    child.kill("SIGKILL");
    await ended;
    for (const worker of workers) await gone(worker);
    await gone(postgres);
  });
});

describe.skipIf(isMissing("python3"))("a relay that npm started in a terminal", () => {
  async function start({ log, environment, serving }: Awaited<ReturnType<typeof createPlace>>) {
    const command = `exec npm start >>'${log}' 2>&1`;
    const env = environment({ NODE_ENV: "production", SHUTDOWN_GRACE_SECONDS: "600" });
    const terminal = await openTerminal(["sh", "-c", command], { cwd: project, env });
    return { terminal, ...(await serving()) };
  }

  test.for([
    ["Ctrl-C, which npm passes on a second time", "interrupt", "SIGINT"],
    ["the closing of the terminal", "close", "SIGHUP"],
  ] as const)("drains on %s", async ([, action, signal], { place }) => {
    const { terminal, url, postgres } = await start(place);
    const close = await openRequest(url);
    terminal[action]();
    await refusing(url);
    close();
    await gone(postgres);
    await expect
      .poll(place.logged)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ msg: "stopping", signal }),
          expect.objectContaining({ msg: "stopped" }),
        ]),
      );
    await terminal.ended;
  });

  test("drains when npm is killed", async ({ place }) => {
    const { terminal, postgres } = await start(place);
    process.kill(terminal.pid, "SIGKILL");
    await gone(postgres);
    await expect.poll(place.logged).toContainEqual(expect.objectContaining({ msg: "stopped" }));
    await terminal.ended;
  });
});
