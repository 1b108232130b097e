import type { Caller, CallOptions } from "../connection/calls.js";
import type { Acknowledger } from "./acknowledger.js";
import type { ReportedQueue } from "./device-queue.js";
import type { Handler, Inbox } from "./inbox.js";

export interface QueueReaderDeps {
  caller: Caller;
  inbox: Inbox;
  acknowledger: Acknowledger;
  queue: ReportedQueue;
}

const usualPage = 100;
const largestPage = 1_000;

/**
 * Reads the queue by pages, has each page handled and acknowledged before the next one, and resolves with the interval that the relay asks
 * for. Messages that are not handled come again with each page, so a page is enlarged by their number. Where they fill it nonetheless,
 * the next page begins with the time at which the last one arrived. A guest leaves a page to the one that has a message in hand.
 */
export async function readQueue(
  { caller, inbox, acknowledger, queue }: QueueReaderDeps,
  handler: Handler,
  { until, options, isGuest = false }: { until: AbortSignal; options?: CallOptions; isGuest?: boolean },
): Promise<{ isEmpty: boolean; nextPollSeconds: number }> {
  for (let since = 0; ; ) {
    const limit = Math.min(largestPage, usualPage + inbox.waiting());
    const query = { limit, ...(since > 0 && { since }) };
    const page = await caller.call("pollMessages", { ...options, query });
    const fresh = page.messages.filter((message) => inbox.offer(message, handler));
    if (fresh.length > 0) queue.filled();
    const isSettled = await inbox.settled(until, isGuest ? handler : undefined);
    if (until.aborted) await inbox.released(handler);
    await acknowledger.flush();
    const isLast = !page.has_more || until.aborted || !isSettled;
    const isEmpty = isLast && isSettled && !until.aborted && inbox.waiting() === 0;
    if (isEmpty) queue.emptied();
    if (isLast) return { isEmpty, nextPollSeconds: page.next_poll_interval };
    if (fresh.length === 0) since = Math.max(since + 1, page.messages.at(-1)?.received_at ?? 0);
  }
}
