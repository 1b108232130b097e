import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startServed } from "../../scripts/served.js";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createTestDatabase } from "../support/database.js";
import type { TestRelay } from "../support/relay.js";
import { transpiled } from "../support/transpiled.js";

/** A relay in a process of its own, whose memory is its own. */
export interface MeasuredRelay {
  /** For the helpers that take a relay. */
  target: TestRelay;
  port: number;
  databaseUrl: string;
  /** Bytes that it holds after collections of garbage. What it lets go within a second does not count. */
  held(): Promise<number>;
  /** Calls `work` and tells by how many bytes the whole process was larger meanwhile, at most, than before. */
  growthDuring(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** It answers how much memory it has. */
const program = [
  "--import",
  new URL("../../scripts/bench/measured.js", import.meta.url).href,
  transpiled("src/cli/main.ts"),
];
const looks = 4;
const betweenLooksMillis = 300;
const lookEveryMillis = 20;
const pageBytes = 4096;

export async function startMeasuredRelay(more: Readonly<Record<string, string>> = {}): Promise<MeasuredRelay> {
  const database = await createTestDatabase();
  await database.db.close();
  const env = {
    ...{ DATABASE_URL: database.url, MASTER_KEY: randomBytes(32).toString("hex"), DOMAIN: "relay.test" },
    ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error" },
    ...{ FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100000", FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100000" },
    UNAUTHENTICATED_STREAMS_PER_IP: "100000",
    CONNECTIONS_PER_IP: "100000",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    SEED_RATE_LIMITING_ENABLED: "false",
    ...more,
  };
  const own = { PATH: process.env["PATH"] ?? "", ...env };
  const { child, port, ended, stop } = await startServed([...program, "serve"], { env: own });
  const ask = async <T>(question: string): Promise<T> => {
    child.send(question);
    const [answer] = await Promise.race([once(child, "message"), ended]);
    return answer as T;
  };
  const url = `http://127.0.0.1:${port}`;
  const target = { url, streamUrl: `ws://127.0.0.1:${port}/v1/stream`, config: loadConfig(env) };
  return {
    ...{ port, databaseUrl: database.url },
    target: { ...target, clock: createSystemClock() } as unknown as TestRelay,
    async held() {
      let min = Number.POSITIVE_INFINITY;
      for (let look = 0; look < looks; look++) {
        const { heapUsed, external } = await ask<{ heapUsed: number; external: number }>("memory");
        min = Math.min(min, heapUsed + external);
        await sleep(betweenLooksMillis);
      }
      return min;
    },
    async growthDuring(work) {
      await ask("memory");
      const before = await residentBytes(child.pid);
      let max = before;
      const looking = setInterval(async () => {
        max = Math.max(max, await residentBytes(child.pid));
      }, lookEveryMillis);
      await work().finally(() => clearInterval(looking));
      return max - before;
    },
    async stop() {
      await stop();
      await database.drop();
    },
  };
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const pages = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ")[1];
  return Number(pages) * pageBytes;
}
