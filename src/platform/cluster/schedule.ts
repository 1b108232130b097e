import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "../logger.js";
import type { Clock } from "./clock.js";
import { readJobRuns, recordJobRun } from "./job-runs.js";
import { createLeadership, type Leadership } from "./leadership.js";
import type { Nodes } from "./nodes.js";

/** Work that comes round again: expiry, retries, roll-ups. */
export interface Schedule {
  /**
   * Has `run` called every so many seconds of the relay's clock, counted from its last run on any node, which the
   * database keeps; for the first time one period after the relay first knew the job. One node of all does it, and another
   * one within seconds when that one dies. A job that is still running is not started again, and a job that fails is logged
   * and comes round again.
   */
  every(name: string, seconds: number, run: () => Promise<void>): void;
  /**
   * The same for work that removes or ends things for their age. While the time is unsound it waits, and runs once the
   * time is sound again.
   */
  cleanUpEvery(name: string, seconds: number, run: () => Promise<void>): void;
  /** Each node does it for itself, for the first time one period after its start. */
  everyOnEachNode(name: string, seconds: number, run: () => Promise<void>): void;
  start(): Promise<void>;
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>;
  /** Runs the job now, on this node, after one that is running; failures are thrown. For tests and operators. */
  runNow(name: string): Promise<void>;
  /** Whether this node is the one that runs the jobs of all. */
  leads(): boolean;
}

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
 * A shared job runs where three things hold: this node leads; since it has led it has read from the database when each job
 * last ran; and the job is due. Who leads next reads again what was written in between.
 */
export function createSchedule(deps: {
  db: Knex;
  nodes: Pick<Nodes, "nodeId">;
  clock: Clock;
  /** Whether the clock may be trusted with deleting things for their age. */
  isTimeSound: () => boolean;
  logger: Logger;
}): Schedule {
  const { db, clock, logger } = deps;
  const jobs = new Map<string, Job>();
  const leadership: Leadership = createLeadership({ db, logger: logger.child({ node: deps.nodes.nodeId }) });
  let timer: NodeJS.Timeout | undefined;
  const book = createRunBook({ db, clock, logger, shared: () => [...jobs.values()].filter(isShared) });

  function look(): void {
    if (leadership.held()) book.open();
    else book.close();
    const now = clock.nowMillis();
    for (const job of jobs.values()) {
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
    every: (name, seconds, run) => add({ name, run, kind: "shared" }, seconds),
    cleanUpEvery: (name, seconds, run) => add({ name, run, kind: "clean-up" }, seconds),
    everyOnEachNode: (name, seconds, run) => add({ name, run, kind: "each node" }, seconds),
    async start() {
      await leadership.start();
      timer = setInterval(look, lookEveryMillis);
    },
    async stop() {
      clearInterval(timer);
      await book.settled();
      await Promise.allSettled([...jobs.values()].map((job) => job.running));
      await leadership.stop();
    },
    async runNow(name) {
      const job = jobs.get(name);
      if (!job) throw new Error(`there is no job named ${name}`);
      while (job.running) await job.running.catch(() => sleep(0));
      await begin(job, async () => undefined);
    },
    leads: () => leadership.held(),
  };
}

function isShared({ kind }: Job): boolean {
  return kind !== "each node";
}

/** When shared jobs last ran, as the database has it. Only the leader reads and writes it. */
interface RunBook {
  /** Reads when each job is due, unless that is known. */
  open(): void;
  isOpen(): boolean;
  /** What is known is of no use any more: another node leads. */
  close(): void;
  /** Where this fails, the job runs once more than it had to after the next start. */
  note(job: Job, ranAtMillis: number): Promise<void>;
  settled(): Promise<void>;
}

function createRunBook(deps: { db: Knex; clock: Clock; logger: Logger; shared: () => Job[] }): RunBook {
  const { db, clock, logger, shared } = deps;
  let isOpen = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const runs = await readJobRuns(
      db,
      shared().map(({ name, addedAt }) => ({ name, ranAtMillis: addedAt })),
    );
    const now = clock.nowMillis();
    // A run that lies ahead was noted by a clock that has been set back since.
    for (const job of shared()) job.dueAt = Math.min(runs.get(job.name) ?? job.addedAt, now) + job.periodMillis;
    isOpen = true;
  }

  return {
    open() {
      if (isOpen) return;
      reading ??= read()
        .catch((error: unknown) => logger.warn({ err: error }, "the last runs of jobs could not be read"))
        .finally(() => {
          reading = undefined;
        });
    },
    isOpen: () => isOpen,
    close() {
      isOpen = false;
    },
    async note(job, ranAtMillis) {
      if (!isShared(job)) return;
      await recordJobRun(db, { name: job.name, ranAtMillis }).catch((error: unknown) => {
        logger.warn({ err: error, job: job.name }, "the run of a job could not be noted");
      });
    },
    settled: async () => reading,
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
