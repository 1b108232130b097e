import type { Db, Executor } from "../../database/db.js";
import { type OpenPipeline, together } from "../../database/pipeline/pipelines.js";
import { passStep } from "../../process/message-steps.js";
import { RowsVanished } from "../model/retry.js";
import { addToQueues } from "../queue/counters-store.js";
import { keepArrayOrder } from "../queue/lock-order.js";
import { storeKeys, storeNewKeys } from "./deduplication/duplicate.js";
import type { Context, CountedFlush, LookedUpFlush } from "./flush.js";
import { type Additions, additionsOf, type Queues } from "./limits/queue-limit.js";
import type { Reservation } from "./limits/sending-windows.js";
import { idOf, keysOf } from "./model/stages.js";

// Between LookedUp and Decided: counts the messages as if every new one were accepted.
//
//   1. reserve in the senders' windows, in a separate transaction
//   2. store the keys of new messages, and wait here for a repetition that another node is storing
//   3. add to queues, which locks their rows
//
// The row of a queue stays locked until the commit, so that no position of a queue can be seen before an earlier one.

/** Thrown if recalled look-ups no longer hold. Nothing is stored. */
export class Outdated extends Error {
  constructor() {
    super("devices or addresses have changed");
  }
}

/**
 * Counts messages none of which is a repetition, in one round trip: the statements are sent without waiting for each
 * other. The reservation is a separate transaction that has ended when the storing one begins. Recalled look-ups are
 * confirmed before; throws Outdated if they do not hold. If a message is a repetition, everything but the reservation
 * is rolled back and the result is undefined.
 */
export async function countFresh(
  pipeline: OpenPipeline,
  { context, open: messages, confirm }: LookedUpFlush,
  reservation: Reservation,
): Promise<CountedFlush | undefined> {
  const keys = keysOf(messages);
  const fresh = new Set(keys);
  const additions = additionsOf(messages, fresh);
  const confirming = confirm === undefined ? Promise.resolve(true) : confirm(pipeline);
  const reserving = reservation.reserve(pipeline);
  const beginning = pipeline.begin();
  const storing = storeNewKeys(pipeline, keys, context.keyRules);
  const rest = together([confirming, reserving, beginning, addToQueuesOf(pipeline, additions, context)]);
  // A repetition may have ended the transaction; the other statements then only report that.
  const [areNew] = await together([storing, rest.catch(() => undefined)]);
  if (!(await confirming)) {
    await pipeline.rollback();
    throw new Outdated();
  }
  if (!areNew) {
    await reserving;
    await pipeline.rollback();
    return undefined;
  }
  const [, grants, , queues] = await rest;
  passStep("counted", messages, idOf);
  return { context, messages, fresh, grants, additions, queues };
}

/** Counts messages of any kind, statement by statement. The senders' windows must have been reserved before. */
export async function countAny(
  trx: Db,
  { context, open: messages }: LookedUpFlush,
  reservation: Reservation,
): Promise<CountedFlush> {
  await keepArrayOrder(trx);
  const fresh = await storeKeys(trx, keysOf(messages), context.keyRules);
  await reservation.reserveRepetitions(fresh);
  const additions = additionsOf(messages, fresh);
  const queues = await addToQueuesOf(trx, additions, context);
  passStep("counted", messages, idOf);
  return { context, messages, fresh, grants: reservation.grants(), additions, queues };
}

async function addToQueuesOf(trx: Executor, { byQueue }: Additions, { now }: Context): Promise<Queues> {
  if (byQueue.length === 0) return new Map();
  const states = await addToQueues(trx, { additions: byQueue, now });
  const queues = new Map(states.map((state) => [state.device_id, state]));
  if (queues.size === byQueue.length) return queues;
  throw new RowsVanished(byQueue.map(({ deviceId }) => deviceId).filter((id) => !queues.has(id)));
}
