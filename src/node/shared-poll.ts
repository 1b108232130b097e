import { performance } from "node:perf_hooks";
import type { Bindings } from "../database/bindings.js";
import type { Database } from "../database/db.js";
import { createFailoverWatch, timelineSql } from "../database/failover.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { RelayError } from "../protocol/errors.js";

/** A value in the database that every node follows, as one text: for instance the version of data that nodes copy. */
export interface PolledValue {
  /** A scalar subquery, without its parentheses. Every node evaluates it about once a second, so it has to be cheap. */
  sql: string;
  /** The current values of its bindings. No other polled value has bindings of the same names. */
  bindings?(): Bindings;
  /** Called with each answer and the time, by the monotonic timer, at which the database was asked. */
  seen(value: string | null, askedAt: number): void;
}

/** Asks the database for everything that this node follows, in one statement. */
export type SharedPoll = ReturnType<typeof createSharedPoll>;

/**
 * Data that rarely changes is not read again and again: every `everyMillis`, one statement reads the versions of all of
 * it, and a follower reads the data only if its version has changed. Idle nodes cost the database little else.
 *
 * The statement also reads the database's timeline, which shows a failover.
 */
export function createSharedPoll(deps: { db: Database; everyMillis: number; logger: Logger }) {
  const followed = new Set<PolledValue>();
  const failover = createFailoverWatch(deps.logger);
  let asking: Promise<void> | undefined;
  let failing = false;
  let tellsTimeline: boolean | undefined;

  const canTellTimeline = (): Promise<boolean> =>
    deps.db.rows(`select ${timelineSql}`).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RelayError) throw error;
        return false;
      },
    );
  const askOnce = async (): Promise<void> => {
    const values = [...followed];
    if (values.length === 0) return;
    const askedAt = performance.now();
    tellsTimeline ??= await canTellTimeline();
    const columns = values.map(({ sql }, i) => `(${sql})::text as v${i}`);
    if (tellsTimeline) columns.push(`${timelineSql} as timeline`);
    const bindings: Bindings = Object.assign({}, ...values.map((value) => value.bindings?.()));
    const [row] = await deps.db.preparedRows<Record<string, string | null>>(`select ${columns.join(", ")}`, bindings);
    failover.note(row?.["timeline"] ?? null);
    for (const [i, value] of values.entries()) if (followed.has(value)) value.seen(row?.[`v${i}`] ?? null, askedAt);
  };
  const ask = (): Promise<void> => {
    asking ??= askOnce().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const periodic = createPeriodic({
    everyMillis: deps.everyMillis,
    async run() {
      await ask();
      failing = false;
    },
    failed(error) {
      if (!failing) deps.logger.warn({ err: error }, "the database cannot be asked for changes");
      failing = true;
    },
  });

  return {
    /** Asks now, or joins the statement under way. Throws if the database cannot be asked. */
    ask,
    async start(): Promise<void> {
      periodic.start();
    },
    async stop(): Promise<void> {
      await periodic.stop();
      await Promise.allSettled([asking]);
    },
    /** Calls a listener when the database has failed over to another server, before values of that server are seen. */
    onFailover: failover.onFailover,
    /** Adds a value from the next statement on; the returned function removes it. */
    follow(value: PolledValue): () => void {
      followed.add(value);
      return () => void followed.delete(value);
    },
  };
}

/** A condition that the shared poll evaluates, so that its users need not ask. */
export interface PolledCondition {
  /** False if it did not hold when the poll last looked. True if the poll is late. */
  mayHold(): boolean;
  unfollow(): void;
}

const lateMillis = 2_000;

/** Follows a condition; its `sql` returns null, or no row, if it does not hold. `found` is called while it holds. */
export function followCondition(
  poll: Pick<SharedPoll, "follow">,
  { found = () => {}, ...value }: Pick<PolledValue, "sql" | "bindings"> & { found?(): void },
): PolledCondition {
  let absentAt = Number.NEGATIVE_INFINITY;
  const unfollow = poll.follow({
    ...value,
    seen(answer, askedAt) {
      absentAt = answer === null ? askedAt : Number.NEGATIVE_INFINITY;
      if (answer !== null) found();
    },
  });
  return { unfollow, mayHold: () => performance.now() - absentAt > lateMillis };
}
