import type { Database } from "../database/db.js";
import type { DeliveryState } from "../messages/model/types.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import type { PushSettings } from "./config.js";
import {
  makeDue,
  markAnswered,
  type NewlyDue,
  type PacingRow,
  readPacing,
  readPacingAfter,
} from "./due-pushes-store.js";
import { hasAnswered, mustWake, nextLowPushAt, nextPushAt, spreadDueTime } from "./wake-up-times.js";

/*
 * How a push becomes due without costing a send a statement:
 *
 *   a commit    the node that committed messages notes, in memory, the devices among the recipients that have no stream
 *   a flush     once a second, it makes pushes due for those of them that have a subscription
 *   a catch-up  once a minute, one node compares all subscriptions with the queues; what a node that died had noted, or had no
 *               room for, is found then
 */
export type WakeUps = ReturnType<typeof createWakeUps>;

export interface WakeUpsDeps {
  db: Database;
  clock: Clock;
  random: Pick<Random, "fraction">;
  logger: Logger;
  metrics: Pick<MetricsService, "count">;
  messages: { deliveryStates(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeliveryState>> };
  /** Whether a device has few key packages left. */
  hasFewPackages(deviceId: string): Promise<boolean>;
  config: PushSettings;
}

const maxNoted = 100_000;
const devicesPerStatement = 1_000;

export function createWakeUps(deps: WakeUpsDeps) {
  const { db, clock, messages } = deps;
  /** The time of the commit, in milliseconds, by device. */
  let waiting = new Map<string, number>();
  let fewPackages = new Set<string>();

  const wake = async (rows: readonly PacingRow[], noted: ReadonlyMap<string, number>): Promise<void> => {
    const queues = await messages.deliveryStates(rows.map(({ deviceId }) => deviceId));
    const answered = new Set(
      rows.filter((row) => hasAnswered(row, queues.get(row.deviceId))).map((row) => row.deviceId),
    );
    deps.metrics.count("push_wake_ups_answered", await markAnswered(db, [...answered].sort()));
    const due = rows
      .filter((row) => mustWake(row, queues.get(row.deviceId)))
      .map((row): NewlyDue => {
        const { deviceId } = row;
        const earliest = nextPushAt(answered.has(deviceId) ? { ...row, unanswered: 0 } : row);
        const sinceMillis = noted.get(deviceId) ?? (queues.get(deviceId)?.lastReceivedAt ?? 0) * 1000;
        return { deviceId, sinceMillis, dueAtMillis: spreadDueTime(earliest, deps), urgency: "high" };
      });
    await makeDue(db, due);
  };

  const refill = async (ids: readonly string[]): Promise<void> => {
    const due: NewlyDue[] = [];
    for (const row of await readPacing(db, ids)) {
      const { deviceId, urgency, urgencyDue } = row;
      if (urgency !== "low" || urgencyDue !== null || !(await deps.hasFewPackages(deviceId))) continue;
      const dueAtMillis = spreadDueTime(nextLowPushAt(row), deps);
      due.push({ deviceId, sinceMillis: clock.nowMillis(), dueAtMillis, urgency: "low" });
    }
    await makeDue(db, due);
  };

  return {
    /** Messages for these devices were committed, and they have no stream. Returns at once. */
    noteWaiting(deviceIds: readonly string[]): void {
      const now = clock.nowMillis();
      for (const id of deviceIds) if (waiting.size < maxNoted && !waiting.has(id)) waiting.set(id, now);
    },
    /** A device may have few key packages left. Returns at once. */
    noteFewPackages(deviceId: string): void {
      if (fewPackages.size < maxNoted) fewPackages.add(deviceId);
    },
    /** Makes due what was noted. */
    async flush(): Promise<void> {
      const [noted, low] = [waiting, fewPackages];
      waiting = new Map();
      fewPackages = new Set();
      for (const ids of slices([...noted.keys()])) {
        const rows = await readPacing(db, ids);
        if (rows.length > 0) await wake(rows, noted);
      }
      for (const ids of slices([...low])) await refill(ids);
    },
    /** Makes due what no node has noted. */
    async catchUp(): Promise<void> {
      for (let after = ""; ; ) {
        const rows = await readPacingAfter(db, { after, limit: devicesPerStatement });
        if (rows.length > 0) await wake(rows, new Map());
        if (rows.length < devicesPerStatement) return;
        after = rows.at(-1)?.deviceId ?? after;
      }
    },
  };
}

function slices(ids: readonly string[]): string[][] {
  const found: string[][] = [];
  for (let at = 0; at < ids.length; at += devicesPerStatement) found.push(ids.slice(at, at + devicesPerStatement));
  return found;
}
