import type { Database } from "../database/db.js";
import { newerMinorOf, readChangedCollation } from "../database/server-version.js";
import type { MetricsService, NodeReading, SnapshotTaken } from "../metrics/service.js";
import { type Clock, secondsSince } from "../node/clock.js";
import { hourSeconds, weekSeconds } from "../protocol/units.js";
import type { HealthSettings } from "./config.js";
import {
  type DeadRows,
  type LastBackup,
  type RefusingServer,
  readAnonymousBytes,
  readDeadRows,
  readLastBackup,
  readRefusingServers,
  readServerVersion,
  readWaitingServers,
  type WaitingServer,
} from "./read-model.js";

/** Percentage of its rows that must be dead as well. */
const alertDeadRowsPercent = 50;

/** Everything from which conditions are evaluated, at one time. Times are Unix seconds. */
export interface Facts {
  now: number;
  /** Readings of running nodes, without those that are too old. */
  readings: readonly NodeReading[];
  snapshot: SnapshotTaken;
  /** Messages that were in queues about an hour ago, or when that was first known within the hour; null if never. */
  queuedBefore: number | null;
  spamLastHour: number;
  /** Verified reports of the last seven days, including the last hour. */
  spamLastWeek: number;
  /** Wake-up pushes of the last hour: those that were taken, and attempts that failed. */
  pushes: { pushes_accepted: number; pushes_failed: number };
  waitingServers: readonly WaitingServer[];
  refusingServers: readonly RefusingServer[];
  deadRows: readonly DeadRows[];
  /** The database's server, if it lacks a minor release that is known. */
  newerMinor: ReturnType<typeof newerMinorOf>;
  changedCollation: Awaited<ReturnType<typeof readChangedCollation>>;
  /** The space that info packages without an uploader take together. */
  anonymousBytes: number;
  /** Undefined until backups have been checked. */
  lastBackup: LastBackup | undefined;
}

const spanSeconds = 300;
/** A reading is stale when this many later readings are missing, plus some seconds for a busy node. */
const readingsMissed = 3;
const graceSeconds = 10;

export async function collectFacts(deps: {
  db: Database;
  clock: Clock;
  metrics: Pick<MetricsService, "readings" | "snapshot" | "series" | "sum">;
  config: Pick<HealthSettings, "alertDeadRows"> & { readonly metricsFlushSeconds: number };
}): Promise<Facts> {
  const { db, clock, metrics, config } = deps;
  const now = clock.nowSeconds();
  const freshSeconds = readingsMissed * config.metricsFlushSeconds + graceSeconds;
  const snapshot = await metrics.snapshot.current();
  const lastHour = { since: now - hourSeconds, until: now + 1, interval: spanSeconds };
  const [queued] = await metrics.series("queued_messages", lastHour);
  return {
    now,
    snapshot,
    queuedBefore: queued?.value ?? null,
    readings: (await metrics.readings()).filter(({ readAt }) => secondsSince(readAt, now) <= freshSeconds),
    spamLastHour: await metrics.sum("spam_reports", now - hourSeconds),
    spamLastWeek: await metrics.sum("spam_reports", now - weekSeconds),
    pushes: {
      pushes_accepted: await metrics.sum("pushes_accepted", now - hourSeconds),
      pushes_failed: await metrics.sum("pushes_failed", now - hourSeconds),
    },
    waitingServers: await readWaitingServers(db),
    refusingServers: await readRefusingServers(db),
    lastBackup: await readLastBackup(db),
    deadRows: await readDeadRows(db, { rows: config.alertDeadRows, percent: alertDeadRowsPercent }),
    newerMinor: newerMinorOf(await readServerVersion(db)),
    changedCollation: await readChangedCollation(db),
    anonymousBytes: await readAnonymousBytes(db),
  };
}
