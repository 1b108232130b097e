import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Clock } from "./clock.js";
import { createLeadership, type Leadership } from "./leadership.js";
import type { Logger } from "./logger.js";
import type { Nodes } from "./nodes.js";

/** Work that comes round again: expiry, retries, roll-ups. */
export interface Schedule {
  /**
   * Has `run` called every so many seconds of the relay's clock, for the first time one period after the start. One
   * node of all does it, and another one within seconds when that one dies. A job that is still running is not started again, and a job that fails is logged and comes round again.
   */
  every(name: string, seconds: number, run: () => Promise<void>): void;
  /** The same, but each node does it for itself. */
  everyOnEachNode(name: string, seconds: number, run: () => Promise<void>): void;
  start(): Promise<void>;
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>;
  /** Runs the job now, on this node, after one that is running; failures are thrown. For tests and operators. */
  runNow(name: string): Promise<void>;
  /** Whether this node is the one that runs the jobs of all. */
  leads(): boolean;
}

interface Job {
  name: string;
  periodMillis: number;
  run: () => Promise<void>;
  onEveryNode: boolean;
  dueAt: number;
  running: Promise<void> | undefined;
}

const lookEveryMillis = 250;

export function createSchedule(needs: {
  db: Knex;
  nodes: Pick<Nodes, "nodeId">;
  clock: Clock;
  logger: Logger;
}): Schedule {
  const { clock, logger } = needs;
  const jobs = new Map<string, Job>();
  const leadership: Leadership = createLeadership({ db: needs.db, logger: logger.child({ node: needs.nodes.nodeId }) });
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = clock.nowMillis();
    for (const job of jobs.values()) {
      if (job.running || job.dueAt > now) continue;
      job.dueAt = now + job.periodMillis;
      if (job.onEveryNode || leadership.held()) begin(job).catch((error: unknown) => report(job, error));
    }
  }

  function report(job: Job, error: unknown): void {
    logger.error({ err: error, job: job.name }, "a job failed");
  }

  function add(job: Pick<Job, "name" | "run" | "onEveryNode">, seconds: number): void {
    if (jobs.has(job.name)) throw new Error(`there are two jobs named ${job.name}`);
    const periodMillis = seconds * 1000;
    jobs.set(job.name, { ...job, periodMillis, dueAt: clock.nowMillis() + periodMillis, running: undefined });
  }

  return {
    every: (name, seconds, run) => add({ name, run, onEveryNode: false }, seconds),
    everyOnEachNode: (name, seconds, run) => add({ name, run, onEveryNode: true }, seconds),
    async start() {
      await leadership.start();
      timer = setInterval(look, lookEveryMillis);
    },
    async stop() {
      clearInterval(timer);
      await Promise.allSettled([...jobs.values()].map((job) => job.running));
      await leadership.stop();
    },
    async runNow(name) {
      const job = jobs.get(name);
      if (!job) throw new Error(`there is no job named ${name}`);
      while (job.running) await job.running.catch(() => sleep(0));
      await begin(job);
    },
    leads: () => leadership.held(),
  };
}

function begin(job: Job): Promise<void> {
  const running = job.run().finally(() => {
    job.running = undefined;
  });
  job.running = running;
  return running;
}
