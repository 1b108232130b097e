// How many messages an outgoing transaction has: as many as both servers take, and fewer after the peer has refused one as a whole.

import type { PeerOffers } from "../peers/types.js";

/** Maximum messages per outgoing transaction to servers that offer more. */
const outboxLargeTransactionMessages = 1000;

/** The size of transactions to a peer. `configured` is what this server sends to those that offer more, or nothing. */
export function usualMessagesFor({ transactionMessages }: PeerOffers, configured: number): number {
  return Math.min(transactionMessages ?? configured, Math.max(configured, outboxLargeTransactionMessages));
}

/** The size of the next transaction. `limit` is null unless one was refused. */
export function mostMessages(limit: number | null, usual: number): number {
  return Math.min(limit ?? usual, usual);
}

/** A refused transaction is halved, until the message at fault is alone. */
export function afterRefusal(messages: number): number {
  return Math.ceil(messages / 2);
}

/** Once a halved transaction has passed, the next may be half as large again, up to the usual size. Null if nothing is halved any more. */
export function afterAcceptance(limit: number | null, usual: number): number | null {
  if (limit === null) return null;
  const next = Math.ceil(limit * 1.5);
  return next >= usual ? null : next;
}
