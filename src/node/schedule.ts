import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/db.js";
import type { Logger } from "../platform/logger.js";
import type { Clock } from "./clock.js";
import type { NodeSettings } from "./config.js";
import { readJobRuns, recordJobRun } from "./job-runs.js";
import { createLeadership, type Leadership } from "./leadership.js";
import type { Nodes } from "./nodes.js";
import type { SharedPoll } from "./shared-poll.js";

/** Periodic jobs: expiry, retries, roll-ups. */
export type Schedule = ReturnType<typeof createSchedule>;

type JobKind = "shared" | "clean-up" | "each node";

interface Job {
  name: string;
  kind: JobKind;
  periodMillis: number;
  run: () => Promise<void>;
  addedAt: number;
  dueAt: number;
  running: Promise<void> | undefined;
}

const lookEveryMillis = 250;

/**
 * A shared job runs if this node leads, if it has read the last runs from the database since it became leader, and if
 * the job is due. The next leader reads the last runs again.
 */
export function createSchedule(deps: {
  db: Database;
  nodes: Pick<Nodes, "nodeId">;
  clock: Clock;
  /** Whether the clock may be trusted with deletion by age. */
  isTimeSound: () => boolean;
  logger: Logger;
  poll: Pick<SharedPoll, "follow">;
  config: Pick<NodeSettings, "nodeDeadAfterSeconds">;
}) {
  const { db, clock, logger } = deps;
  const jobs = new Map<string, Job>();
  const leadership: Leadership = createLeadership({ ...deps, nodeId: deps.nodes.nodeId });
  let timer: NodeJS.Timeout | undefined;
  const book = createRunBook({ db, clock, logger, shared: () => [...jobs.values()].filter(isShared) });

  function look(): void {
    if (leadership.held()) book.open();
    else book.close();
    const now = clock.nowMillis();
    for (const job of jobs.values()) {
      // No job is due later, unless the clock has since been set back.
      job.dueAt = Math.min(job.dueAt, now + job.periodMillis);
      if (job.running || job.dueAt > now || !mayRun(job)) continue;
      job.dueAt = now + job.periodMillis;
      begin(job, () => book.note(job, now)).catch((error: unknown) => report(job, error));
    }
  }

  function mayRun(job: Job): boolean {
    if (!isShared(job)) return true;
    return leadership.held() && book.isOpen() && (job.kind !== "clean-up" || deps.isTimeSound());
  }

  function report(job: Job, error: unknown): void {
    logger.error({ err: error, job: job.name }, "a job failed");
  }

  function add(job: Pick<Job, "name" | "run" | "kind">, seconds: number): void {
    if (jobs.has(job.name)) throw new Error(`there are two jobs named ${job.name}`);
    const periodMillis = seconds * 1000;
    const addedAt = clock.nowMillis();
    jobs.set(job.name, { ...job, periodMillis, addedAt, dueAt: addedAt + periodMillis, running: undefined });
  }

  return {
    /**
     * Calls `run` at this interval of the relay's clock, counted from its last run on any node, which the database
     * records. The first run comes one period after the relay first saw the job. The leader runs it; if it dies, another
     * node takes over within seconds. A job that is still running is not started again. A failure is logged, and the job
     * runs again one period later.
     */
    every: (name: string, seconds: number, run: () => Promise<void>) => add({ name, run, kind: "shared" }, seconds),
    /**
     * Like `every`, for jobs that delete or end things by age. They wait while the clock is unsound and run once it is
     * sound again.
     */
    cleanUpEvery: (name: string, seconds: number, run: () => Promise<void>) =>
      add({ name, run, kind: "clean-up" }, seconds),
    /** Runs on each node, for the first time one period after its start. */
    everyOnEachNode: (name: string, seconds: number, run: () => Promise<void>) =>
      add({ name, run, kind: "each node" }, seconds),
    async start(): Promise<void> {
      await leadership.start();
      timer = setInterval(look, lookEveryMillis);
    },
    /** Starts no more jobs and waits for those that are running. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await book.settled();
      await Promise.allSettled([...jobs.values()].map((job) => job.running));
      await leadership.stop();
    },
    /** Runs the job now on this node, after any run in progress; failures are thrown. For tests and operators. */
    async runNow(name: string): Promise<void> {
      const job = jobs.get(name);
      if (!job) throw new Error(`there is no job named ${name}`);
      while (job.running) await job.running.catch(() => sleep(0));
      await begin(job, async () => undefined);
    },
    /** Whether this node is the leader, which runs the shared jobs. */
    leads: () => leadership.held(),
  };
}

function isShared({ kind }: Job): boolean {
  return kind !== "each node";
}

/** The last runs of shared jobs, as stored in the database. Only the leader reads and writes them. */
function createRunBook(deps: { db: Database; clock: Clock; logger: Logger; shared: () => Job[] }) {
  const { db, clock, logger, shared } = deps;
  let isOpen = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const runs = await readJobRuns(
      db,
      shared().map(({ name, addedAt }) => ({ name, ranAtMillis: addedAt })),
    );
    const now = clock.nowMillis();
    // A clock that has since been set back recorded a run in the future.
    for (const job of shared()) job.dueAt = Math.min(runs.get(job.name) ?? job.addedAt, now) + job.periodMillis;
    isOpen = true;
  }

  return {
    /** Reads when each job is due, unless it is known already. */
    open(): void {
      if (isOpen) return;
      reading ??= read()
        .catch((error: unknown) => logger.warn({ err: error }, "the last runs of jobs could not be read"))
        .finally(() => {
          reading = undefined;
        });
    },
    isOpen: (): boolean => isOpen,
    /** Forgets the last runs, because another node leads. */
    close(): void {
      isOpen = false;
    },
    /** If this fails, the job runs once more than necessary after the next start. */
    async note(job: Job, ranAtMillis: number): Promise<void> {
      if (!isShared(job)) return;
      await recordJobRun(db, { name: job.name, ranAtMillis }).catch((error: unknown) => {
        logger.warn({ err: error, job: job.name }, "the run of a job could not be recorded");
      });
    },
    settled: async (): Promise<void> => reading,
  };
}

function begin(job: Job, noteRun: () => Promise<void>): Promise<void> {
  const running = job
    .run()
    .then(noteRun)
    .finally(() => {
      job.running = undefined;
    });
  job.running = running;
  return running;
}
