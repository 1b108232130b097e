import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import { doublingWait } from "../protocol/doubling-wait.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { type AlertChannelConfig, createChannels } from "./alert-channels.js";
import {
  type DueNotice,
  deleteNotice,
  deleteUselessNotices,
  postponeNotice,
  readDueNotices,
} from "./alert-notices-store.js";
import type { Alert } from "./types.js";

// Events of alerts are recorded in the transaction that raises or clears them (alerts.ts), and one node sends them: at
// least once, in order for each alert, with growing pauses after failures. An alert about the database can hardly be
// recorded there; the node that it is about sends it from memory. Its notice has the same id as one that may follow
// from the database, so receivers recognise it.

const maxAtOnce = 50;
const firstPauseSeconds = 30;
const longestPauseSeconds = hourSeconds;
/** A notice that could not be sent for this long is useless. */
const givenUpAfterSeconds = daySeconds;
const maxRemembered = 1_000;

export function createAlertNotices(deps: { db: Database; clock: Clock; logger: Logger; config: AlertChannelConfig }) {
  const { db, clock, logger } = deps;
  const channels = createChannels(deps.config);
  const names = [...channels.keys()];
  const sentDirectly = new Set<string>();
  const lanes = createLanes(logger);

  const send = async (due: DueNotice, signal: AbortSignal): Promise<void> => {
    const now = clock.nowSeconds();
    try {
      await channels.get(due.channel)?.({ ...due, at: now }, signal);
    } catch (error) {
      if (signal.aborted) return;
      const isGivenUp = now - due.createdAt >= givenUpAfterSeconds;
      const pause = doublingWait(due.attempts + 1, { first: firstPauseSeconds, longest: longestPauseSeconds });
      logger.warn(
        { err: error, channel: due.channel, alert: due.alert.id, retry: !isGivenUp },
        "an alert was not sent",
      );
      return isGivenUp ? deleteNotice(db, due) : postponeNotice(db, due, clock.nowSeconds() + pause);
    }
    await deleteNotice(db, due);
  };
  const sendDirect = async (name: string, alert: Alert, signal: AbortSignal): Promise<void> => {
    const key = `${name} ${alert.id}`;
    if (sentDirectly.has(key) || sentDirectly.size >= maxRemembered) return;
    try {
      await channels.get(name)?.({ event: "raised", alert, clearedAt: null, at: clock.nowSeconds() }, signal);
      sentDirectly.add(key);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error, channel: name, alert: alert.id, retry: true }, "an alert was not sent");
    }
  };

  return {
    /** The configured channels. */
    channels: names,
    /** Begins to send what is due, for all nodes. */
    async sendDue(): Promise<void> {
      if (names.length === 0) return;
      await deleteUselessNotices(db, names);
      const free = names.filter(lanes.isFree);
      const due = await readDueNotices(db, { now: clock.nowSeconds(), limit: maxAtOnce, channels: free });
      for (const name of free) {
        const notices = due.filter(({ channel }) => channel === name);
        lanes.run(name, async (signal) => {
          for (const notice of notices) if (!signal.aborted) await send(notice, signal);
        });
      }
    },
    /** Begins to send alerts that cannot be recorded in the database, each once; failures are retried at the next call. */
    sendDirectly(alerts: readonly Alert[]): void {
      for (const name of names) {
        lanes.run(`${name}, directly`, async (signal) => {
          for (const alert of alerts) if (!signal.aborted) await sendDirect(name, alert, signal);
        });
      }
    },
    /** Breaks off what is being sent; it is sent again after the next start. */
    stop: lanes.stop,
  };
}

/** Work that is in progress once under each name, so that a slow channel delays no other. */
function createLanes(logger: Logger) {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  return {
    isFree: (name: string): boolean => !running.has(name),
    /** Does nothing if the lane is in use. */
    run(name: string, work: (signal: AbortSignal) => Promise<void>): void {
      if (running.has(name) || stopping.signal.aborted) return;
      const ended = work(stopping.signal)
        .catch((error: unknown) => logger.warn({ err: error, channel: name }, "the sending of alerts was broken off"))
        .finally(() => running.delete(name));
      running.set(name, ended);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}
