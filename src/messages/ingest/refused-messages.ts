import type { Executor } from "../../database/db.js";
import { together } from "../../database/pipeline/pipelines.js";
import { refundQueues } from "../queue/counters-store.js";
import { removeKeys } from "./deduplication/duplicate.js";
import type { CountedFlush } from "./flush.js";
import { refundsOf } from "./limits/queue-limit.js";
import { type Decided, isAccepted, isQueued, keysOf } from "./model/stages.js";

/** Undoes the counting of messages that were refused. They leave no key behind, so the same message may be sent again. */
export async function takeBackRefused(
  trx: Executor,
  decided: readonly Decided[],
  { additions, context }: CountedFlush,
): Promise<void> {
  if (decided.every(isAccepted)) return;
  const accepted = decided.filter(isAccepted);
  const acceptedMessages = new Set(accepted.map(({ message }) => message));
  if (additions.counted.every((message) => acceptedMessages.has(message))) return;
  // Of several messages with one key, a message other than the first may have been accepted.
  const acceptedKeys = new Set(accepted.map(({ message }) => message.key));
  const refused = additions.counted.filter(({ key }) => !acceptedKeys.has(key));
  const refunds = refundsOf(
    additions,
    decided.filter(isQueued).map(({ message }) => message),
  );
  await together([
    refunds.length === 0 ? Promise.resolve() : refundQueues(trx, refunds),
    removeKeys(trx, keysOf(refused), context.keyRules),
  ]);
}
