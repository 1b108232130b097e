import { byDevice } from "../../queue/lock-order.js";
import { firstsOf, type LookedUp } from "../model/stages.js";
import type { Allowance, SenderContext, WindowRules } from "./hourly-limit.js";
import { type Counts, createCosts } from "./sending-costs.js";
import type { WindowRequest } from "./sending-windows-store.js";

// What a flush requests from the windows of its senders. Requests are ordered by id.

/**
 * Requests for the senders of messages, as if every message that is not repeated within the flush were new. An
 * all-or-nothing message may be refused as a whole, which costs misses.
 */
export function requestsFor(messages: readonly LookedUp[], senders: SenderContext): WindowRequest[] {
  const fresh = new Set(firstsOf(messages, new Set(messages.map(({ key }) => key))));
  const costs = createCosts(senders);
  for (const message of messages) {
    if (fresh.has(message)) costs.add(message, "sends");
    if (!fresh.has(message) || message.toMany?.allOrNothing) costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

/** Requests for messages that were assumed new but turned out to be repetitions. */
export function requestsForRepetitions(
  messages: readonly LookedUp[],
  fresh: ReadonlySet<string>,
  senders: SenderContext,
): WindowRequest[] {
  const costs = createCosts(senders);
  for (const message of firstsOf(messages, new Set(messages.map(({ key }) => key)))) {
    if (!fresh.has(message.key) && !message.toMany?.allOrNothing) costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

/** The largest requests of messages: as if each were new, and as if each were a repetition. */
export function largestRequestsFor(messages: readonly LookedUp[], senders: SenderContext): WindowRequest[] {
  const costs = createCosts(senders);
  for (const message of messages) {
    costs.add(message, "sends");
    costs.add(message, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

function requestsOf(counts: ReadonlyMap<string, Counts>, { allowances, rules }: SenderContext): WindowRequest[] {
  const requests: WindowRequest[] = [];
  for (const [id, count] of counts) {
    const allowance = allowances.get(id);
    const request = allowance === undefined ? undefined : requestOf(id, allowance, { ...count, rules });
    if (request !== undefined && request.sends + request.misses > 0) requests.push(request);
  }
  return requests.sort(byDevice);
}

/** Higher than the count of any window. */
const unlimited = 2 ** 52;

/** If messages have no limit, misses have none either and are not counted. */
export function requestOf(
  deviceId: string,
  { limit, windowLimit, maxCarried }: Allowance,
  { sends, misses, rules }: Counts & { rules: WindowRules },
): WindowRequest {
  return {
    deviceId,
    sends,
    misses: limit === null ? 0 : misses,
    sendLimit: limit ?? unlimited,
    missLimit: limit === null ? 0 : limit * rules.missesPerSend,
    windowLimit,
    maxCarried,
  };
}
