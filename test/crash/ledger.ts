import type { TestDevice } from "../support/device.js";

/** What a client knows for certain, because it was told. A message is known by its id and its recipient. */
export interface Ledger {
  accepted: Set<string>;
  received: Set<string>;
  acknowledged: Set<string>;
  /** Messages that came again after their acknowledgement was confirmed, or twice in one answer. */
  cameBack: string[];
  /** Ids of messages that were sent to all recipients or none. */
  toAll: Set<string>;
  /** How often each status was answered; 0 is no answer. */
  statuses: Map<number, number>;
  /** Is told how many milliseconds each good answer took. */
  onAnswer?: (millis: number) => void;
  /** Is told of each message that a stream brings. */
  onPush?: (messageId: string) => void;
}

export function createLedger(observers: Pick<Ledger, "onAnswer" | "onPush"> = {}): Ledger {
  return {
    accepted: new Set(),
    received: new Set(),
    acknowledged: new Set(),
    cameBack: [],
    toAll: new Set(),
    statuses: new Map(),
    ...observers,
  };
}

/** How a message for a recipient is named in a ledger. */
export function keyOf(messageId: string, recipient: Pick<TestDevice, "address">): string {
  return `${messageId} for ${recipient.address}`;
}

/** Messages that came with one answer or frame. */
export function noteReceived(ledger: Ledger, keys: readonly string[]): void {
  if (new Set(keys).size < keys.length) ledger.cameBack.push(...keys.filter((key, at) => keys.indexOf(key) < at));
  for (const key of keys) {
    if (ledger.acknowledged.has(key)) ledger.cameBack.push(key);
    ledger.received.add(key);
  }
}

/** What was accepted and has not come so far. */
export function missing(ledger: Ledger): string[] {
  return [...ledger.accepted].filter((key) => !ledger.received.has(key));
}

/** A broken connection is no answer; it is counted as 0. */
export async function settle<A extends { status: number }>(ledger: Ledger, asked: Promise<A>): Promise<A | undefined> {
  const startedAt = performance.now();
  const answer = await asked.catch(() => undefined);
  const status = answer?.status ?? 0;
  ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
  if (status >= 200 && status < 300) ledger.onAnswer?.(performance.now() - startedAt);
  return answer;
}
