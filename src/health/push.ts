import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { createChannels, type PushConfig } from "./push-channels.js";
import { type DuePush, deletePush, deletePushesWithoutAlert, postponePush, readDuePushes } from "./push-store.js";
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

export function createAlertPushes(deps: { db: Database; clock: Clock; logger: Logger; config: PushConfig }) {
  const { db, clock, logger } = deps;
  const channels = createChannels(deps.config);
  const sentDirectly = new Set<string>();

  const push = async (due: DuePush): Promise<void> => {
    const now = clock.nowSeconds();
    try {
      // Notices for a channel that is no longer configured are dropped.
      await channels.get(due.channel)?.({ ...due, at: now });
      await deletePush(db, due);
    } catch (error) {
      const isGivenUp = now - due.createdAt >= givenUpAfterSeconds;
      const pause = Math.min(firstPauseSeconds * 2 ** due.attempts, longestPauseSeconds);
      logger.warn(
        { err: error, channel: due.channel, alert: due.alert.id, retry: !isGivenUp },
        "an alert was not sent",
      );
      if (isGivenUp) await deletePush(db, due);
      else await postponePush(db, due, now + pause);
    }
  };

  return {
    /** The configured channels. */
    channels: [...channels.keys()],
    /** Sends what is due, for all nodes. */
    async pushDue(): Promise<void> {
      if (channels.size === 0) return;
      await deletePushesWithoutAlert(db);
      for (const due of await readDuePushes(db, { now: clock.nowSeconds(), limit: maxAtOnce })) await push(due);
    },
    /** Sends alerts that cannot be recorded in the database, each once; failures are retried at the next call. */
    async pushDirectly(alerts: readonly Alert[]): Promise<void> {
      for (const alert of alerts) {
        for (const [name, send] of channels) {
          const key = `${name} ${alert.id}`;
          if (sentDirectly.has(key) || sentDirectly.size >= maxRemembered) continue;
          try {
            await send({ event: "raised", alert, clearedAt: null, at: clock.nowSeconds() });
            sentDirectly.add(key);
          } catch (error) {
            logger.warn({ err: error, channel: name, alert: alert.id, retry: true }, "an alert was not sent");
          }
        }
      }
    },
  };
}
