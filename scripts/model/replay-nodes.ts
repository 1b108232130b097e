import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { migrate } from "../../src/database/migrate.js";
import { createDatabase } from "../../src/database/pool.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createLifecycle } from "../../src/platform/lifecycle.js";
import type { Target } from "../../test/crash/sending.js";
import { call } from "../../test/support/api.js";
import { type RunningCommand, startCommand } from "../../test/support/command.js";
import { newDevice } from "../../test/support/device.js";
import { createFolder, serverPid, startEmbedded } from "../../test/support/embedded.js";
import type { TestRelay } from "../../test/support/relay.js";

/** A relay of two nodes, each a process, and a PostgreSQL of their own: all of them can be killed. */
export interface ReplayNodes {
  target(node: string): Target;
  isUp(node: string): boolean;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(node: string): Promise<void>;
  /** Puts a new process in the place of one that was killed. */
  restart(node: string): Promise<void>;
  /** Sends SIGKILL to PostgreSQL and waits until it is back and every node uses it again. */
  killDatabase(): Promise<void>;
  db: Database;
  kills: { nodes: number; database: number };
  stop(): Promise<void>;
}

const names = ["a", "b"] as const;
const lookMillis = 20;
const patienceMillis = 60_000;

interface Process {
  command: RunningCommand;
  target: Target;
}

export async function startReplayNodes(): Promise<ReplayNodes> {
  const lifecycle = createLifecycle();
  try {
    return await start(lifecycle);
  } catch (error) {
    await lifecycle.end();
    throw error;
  }
}

async function start(lifecycle: ReturnType<typeof createLifecycle>): Promise<ReplayNodes> {
  const place = await createFolder(0o711);
  lifecycle.atEnd(() => place.remove());
  const postgres = await startEmbedded(place.folder);
  lifecycle.atEnd(() => postgres.stop());
  const db = createDatabase({ url: postgres.url, poolSize: 3 });
  lifecycle.atEnd(() => db.close());
  await migrate(db);
  const env = {
    DATABASE_URL: postgres.url,
    MASTER_KEY: randomBytes(32).toString("hex"),
    DOMAIN: "relay.test",
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "fatal",
    DATABASE_POOL_SIZE: "4",
    ...constantsEnvironment({ expiryIntervalSeconds: 1 }),
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    SEED_RATE_LIMITING_ENABLED: "false",
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
  };
  const config = loadConfig(env);
  const clock = createSystemClock() as Target["clock"];
  const commands: RunningCommand[] = [];
  lifecycle.atEnd(async () => {
    for (const command of commands) command.kill("SIGKILL");
    for (const command of commands) await command.ended;
  });
  const startProcess = async (): Promise<Process> => {
    const command = startCommand(["serve"], env);
    commands.push(command);
    const [, url = ""] = await command.seen(/ at (http:\S+)/);
    return { command, target: { url, config, clock } };
  };
  const up = new Map<string, Process>();
  for (const name of names) up.set(name, await startProcess());
  // A process takes some time to start, so the next one to be needed is started in advance.
  let spare = startProcess();
  lifecycle.atEnd(() => spare.catch(() => undefined));
  const probe = await newDevice(up.get("a")?.target as TestRelay);
  const kills = { nodes: 0, database: 0 };
  const target = (node: string): Target => {
    const found = up.get(node);
    if (found === undefined) throw new Error(`node ${node} is down`);
    return found.target;
  };

  return {
    db,
    kills,
    target,
    isUp: (node) => up.has(node),
    async kill(node) {
      const process = up.get(node);
      up.delete(node);
      process?.command.kill("SIGKILL");
      await process?.command.ended;
      kills.nodes += 1;
    },
    async restart(node) {
      up.set(node, await spare);
      spare = startProcess();
      spare.catch(() => undefined);
    },
    async killDatabase() {
      // A process that is just starting would not survive it.
      await spare;
      const pid = await serverPid(place.folder);
      if (pid === undefined) throw new Error("PostgreSQL does not run");
      process.kill(pid, "SIGKILL");
      kills.database += 1;
      await wait("PostgreSQL to come back", async () => {
        const now = await serverPid(place.folder);
        return now !== undefined && now !== pid && (await db.rows("select 1").catch(() => [])).length > 0;
      });
      const running = [...up.values(), await spare];
      await wait("the nodes to find PostgreSQL", async () => {
        const ready = running.map(({ target: { url } }) => call({ url }, "pollMessages", { token: probe.token }));
        return (await Promise.all(ready)).every(({ status }) => status === 200);
      });
    },
    stop: () => lifecycle.end(),
  };
}

/** Looks until something holds. Throws when it has not come in a minute. */
export async function wait(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMillis;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(lookMillis);
  }
}
