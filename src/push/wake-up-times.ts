import type { DeliveryState } from "../messages/model/types.js";
import { doublingWait } from "../protocol/doubling-wait.js";
import type { PushSettings } from "./config.js";
import type { PacingRow } from "./store.js";

// When a device is woken. A push is due for messages that the device has not read and was not woken for. Two pushes lie at least
// `pushGapSeconds` apart; if the last one has not led to a poll or a stream, the pause grows from `pushUnansweredSeconds` to
// `pushLongestWaitSeconds`, so that a device that never comes costs little.

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
export function nextPushAt({ pushedAt, unanswered }: Pick<PacingRow, "pushedAt" | "unanswered">, config: PushSettings) {
  if (pushedAt === null) return 0;
  if (unanswered === 0) return pushedAt + config.pushGapSeconds;
  const range = { first: config.pushUnansweredSeconds, longest: config.pushLongestWaitSeconds };
  return pushedAt + Math.max(config.pushGapSeconds, doublingWait(unanswered, range));
}

/** When the next push for few key packages may be sent, in Unix seconds. */
export function nextLowPushAt(
  { pushedAt, lowPushedAt }: Pick<PacingRow, "pushedAt" | "lowPushedAt">,
  config: PushSettings,
): number {
  return Math.max((pushedAt ?? 0) + config.pushGapSeconds, (lowPushedAt ?? 0) + config.pushLowPackagesGapSeconds);
}
