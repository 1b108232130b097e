import type { Knex } from "knex";
import type { Clock } from "../../platform/cluster/clock.js";
import { createKeyedMutex } from "../../platform/concurrency/keyed-mutex.js";
import { retrying } from "../ingest/retry.js";
import type { MailboxService, Page } from "../mailbox.js";
import type { QueuedMessage } from "../types.js";
import type { DeliveryCursor } from "./delivery-cursor.js";
import { markDelivered, readStretch } from "./store.js";

const pollsWaitingPerDevice = 8;

export interface Poll {
  page: MailboxService["page"];
}

/** Polls: the oldest messages, one poll of a device after the other. */
export function createPoll(deps: {
  db: Knex;
  clock: Clock;
  deliveryCursor: Pick<DeliveryCursor, "note">;
  config: { pollPageBytes: number };
}): Poll {
  const { db, clock, deliveryCursor, config } = deps;
  const mutex = createKeyedMutex({ mostWaiting: pollsWaitingPerDevice });

  /** What was skipped lies between the cursor and the first message of the page, where there is a gap. */
  const markApart = async (deviceId: string, messages: readonly QueuedMessage[], cursor: number): Promise<void> => {
    const [first] = messages;
    if (first === undefined || first.position <= cursor + 1) return;
    const positions = messages.map(({ position }) => position);
    const messageIds = messages.map(({ messageId }) => messageId);
    await retrying(() => markDelivered(db, { deviceId, positions, messageIds, cursor }));
  };

  return {
    page(deviceId, { since = 0, limit }, left) {
      const read = async (): Promise<Page> => {
        const from = {
          after: 0,
          since,
          now: clock.nowSeconds(),
          limit,
          bytes: config.pollPageBytes,
          overshoot: 0 as const,
        };
        const stretch = await readStretch(db, { deviceId, ...from });
        if (stretch === undefined) return { messages: [], hasMore: false };
        const { messages, cut, delivered } = stretch;
        if (since > 0) await markApart(deviceId, messages, delivered);
        deliveryCursor.note(deviceId, messages, { delivered, skipping: since > 0 });
        return { messages, hasMore: cut };
      };
      return mutex.take(deviceId, read, left);
    },
  };
}
