import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { QueuedMessage } from "./envelope.js";
import type { HandingOut } from "./handing-out.js";
import { markDelivered, readStretch } from "./queue-store.js";
import { retrying } from "./retrying.js";
import type { MailboxService, Page } from "./service.js";
import { createTurns } from "./turns.js";

const pollsWaitingPerDevice = 8;

export interface Paging {
  page: MailboxService["page"];
}

/** Polls: the oldest messages, one poll of a device after the other. */
export function createPaging(needs: {
  db: Knex;
  clock: Clock;
  handingOut: Pick<HandingOut, "note">;
  limits: { pollPageBytes: number };
}): Paging {
  const { db, clock, handingOut, limits } = needs;
  const turns = createTurns({ mostWaiting: pollsWaitingPerDevice });

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
          bytes: limits.pollPageBytes,
          overshoot: 0 as const,
        };
        const stretch = await readStretch(db, { deviceId, ...from });
        if (stretch === undefined) return { messages: [], hasMore: false };
        const { messages, cut, handedOut } = stretch;
        if (since > 0) await markApart(deviceId, messages, handedOut);
        handingOut.note(deviceId, messages, { handedOut, skipping: since > 0 });
        return { messages, hasMore: cut };
      };
      return turns.take(deviceId, read, left);
    },
  };
}
