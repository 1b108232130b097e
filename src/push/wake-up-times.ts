// When a device is woken. A push is due for messages that the device has not read and was not woken for. Two pushes lie at least
// `pushGapSeconds` apart; if the last one has not led to a poll or a stream, the pause grows from `pushUnansweredSeconds` to
// `pushLongestWaitSeconds`, so that a device that never comes costs little.

import type { DeliveryState } from "../messages/model/types.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { doublingWait } from "../protocol/doubling-wait.js";
import { hourSeconds } from "../protocol/units.js";
import type { PushSettings } from "./config.js";
import type { PacingRow } from "./due-pushes-store.js";

/** Shortest time between two wake-ups of a device. */
const pushGapSeconds = 30;
/** Wait after a wake-up that led to no poll; it doubles each time. */
const pushUnansweredSeconds = 60;
/** Longest wait after wake-ups that led to no poll. */
const pushLongestWaitSeconds = hourSeconds;
/** Shortest time between two wake-ups for few key packages. */
const pushLowPackagesGapSeconds = hourSeconds;

/** Whether messages wait for a device that has no stream. */
export function waits(queue: DeliveryState | undefined): queue is DeliveryState {
  return queue !== undefined && !queue.hasStream && queue.hasUnread;
}

/** Whether a device has read its queue, or opened a stream, since its last push. */
export function hasAnswered(
  push: Pick<PacingRow, "unanswered" | "pushedCursor">,
  queue: DeliveryState | undefined,
): boolean {
  return push.unanswered > 0 && queue !== undefined && (queue.hasStream || queue.cursor > push.pushedCursor);
}

/** Whether a push for messages must become due, or sooner. */
export function mustWake(push: PacingRow, queue: DeliveryState | undefined): boolean {
  if (!waits(queue) || queue.head <= push.pushedPosition) return false;
  return push.urgencyDue !== "high" || hasAnswered(push, queue);
}

/** When the next push for messages may be sent, in Unix seconds. */
export function nextPushAt({ pushedAt, unanswered }: Pick<PacingRow, "pushedAt" | "unanswered">) {
  if (pushedAt === null) return 0;
  if (unanswered === 0) return pushedAt + pushGapSeconds;
  const range = { first: pushUnansweredSeconds, longest: pushLongestWaitSeconds };
  return pushedAt + Math.max(pushGapSeconds, doublingWait(unanswered, range));
}

/** When the next push for few key packages may be sent, in Unix seconds. */
export function nextLowPushAt({ pushedAt, lowPushedAt }: Pick<PacingRow, "pushedAt" | "lowPushedAt">): number {
  return Math.max((pushedAt ?? 0) + pushGapSeconds, (lowPushedAt ?? 0) + pushLowPackagesGapSeconds);
}

/**
 * When a push becomes due, in Unix milliseconds: delayed at random, because devices that one message wakes would otherwise show a push
 * service that they belong together.
 */
export function spreadDueTime(
  earliestSeconds: number,
  deps: {
    clock: Pick<Clock, "nowMillis">;
    random: Pick<Random, "fraction">;
    config: Pick<PushSettings, "pushJitterSeconds">;
  },
): number {
  const jitterMillis = Math.floor(deps.random.fraction() * deps.config.pushJitterSeconds * 1000);
  return Math.max(deps.clock.nowMillis() + jitterMillis, earliestSeconds * 1000);
}
