import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { createKeyedMutex } from "../../platform/concurrency/keyed-mutex.js";
import { retrying } from "../model/retry.js";
import type { QueuedMessage } from "../model/types.js";
import type { QueueSettings } from "./config.js";
import type { DeliveryCursor } from "./delivery-cursor.js";
import { markDelivered, readQueue } from "./store.js";

interface PollQuery {
  /** Unix seconds: only messages received at this time or later. */
  since?: number | undefined;
  limit?: number | undefined;
}

interface PollResult {
  messages: QueuedMessage[];
  hasMore: boolean;
  nextPollSeconds: number;
  /** The server's time, Unix seconds. */
  now: number;
}

type Poll = (deviceId: string, query: PollQuery, left?: Promise<unknown>) => Promise<PollResult>;

const pollsWaitingPerDevice = 8;

/** Reads pages of the oldest messages. The polls of one device run one after the other. */
export function createPoll(deps: {
  db: Database;
  clock: Clock;
  deliveryCursor: Pick<DeliveryCursor, "note">;
  config: QueueSettings;
}): Poll {
  const { db, clock, deliveryCursor, config } = deps;
  const mutex = createKeyedMutex({ maxWaiting: pollsWaitingPerDevice });

  /** Skipped messages lie between the cursor and the first message of the page, if there is a gap. */
  const markPage = async (deviceId: string, messages: readonly QueuedMessage[], cursor: number): Promise<void> => {
    const [first] = messages;
    if (first === undefined || first.position <= cursor + 1) return;
    const positions = messages.map(({ position }) => position);
    const messageIds = messages.map(({ messageId }) => messageId);
    await retrying(() => markDelivered(db, { deviceId, positions, messageIds, cursor }));
  };
  const readPage = async (deviceId: string, since: number, limit: number) => {
    const page = await readQueue(db, {
      deviceId,
      after: 0,
      since,
      now: clock.nowSeconds(),
      limit: Math.min(limit, config.pollMaxLimit),
      bytes: config.pollPageBytes,
      overshoot: 0,
    });
    if (page === undefined) return { messages: [], hasMore: false };
    const { messages, cut, delivered } = page;
    if (since > 0) await markPage(deviceId, messages, delivered);
    deliveryCursor.note(deviceId, messages, { delivered, skipping: since > 0 });
    return { messages, hasMore: cut };
  };

  return async (deviceId, { since = 0, limit = config.pollDefaultLimit }, left) => {
    const page = await mutex.take(deviceId, () => readPage(deviceId, since, limit), left);
    const nextPollSeconds = page.messages.length > 0 ? config.nextPollPendingSeconds : config.nextPollIdleSeconds;
    return { ...page, nextPollSeconds, now: clock.nowSeconds() };
  };
}
