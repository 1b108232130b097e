import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { HandingOut } from "./handing-out.js";
import { readStretch } from "./queue-store.js";
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
        handingOut.note(deviceId, messages, { handedOut, skipping: since > 0 });
        return { messages, hasMore: cut };
      };
      return turns.take(deviceId, read, left);
    },
  };
}
