import type { Allowance, WindowRules } from "./allowances.js";
import { askOf } from "./allowances.js";
import type { Addition, MailboxState, Refund } from "./intake-store.js";
import { type Item, isRemote, isUnknown, senderOf } from "./item.js";
import type { WindowAsk } from "./window-store.js";

/** What a flush adds to queues, and what they held afterwards. */
export interface Tally {
  /** In the order of their devices' ids. */
  additions: Addition[];
  byDevice: ReadonlyMap<string, Addition>;
  /** Items that were added as new messages. */
  counted: Item[];
  /** Filled once the additions are in the database. */
  states: Map<string, MailboxState>;
  /** What is to be taken back where these of the counted items are refused. */
  refunds(refused: readonly Item[]): Refund[];
}

/** Adds up, per queue, what its items bring, as if every new message were accepted. */
export function tallyUp(items: readonly Item[], fresh: ReadonlySet<string>): Tally {
  const byDevice = new Map<string, Addition>();
  const counted = newOf(items, fresh);
  for (const item of counted) {
    if (isRemote(item) || item.recipient === undefined) continue;
    const addition = additionOf(byDevice, item.recipient.device_id);
    addition.arrivals += 1;
    addition.bytes += item.envelope.ciphertext.length;
  }
  const additions = [...byDevice.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  return { additions, byDevice, counted, states: new Map(), refunds: sumRefunds };
}

/** What items ask of their senders' windows, as if every message that is not repeated here were new. In order of ids. */
export function asksOf(
  items: readonly Item[],
  { allowances, rules }: { allowances: ReadonlyMap<string, Allowance>; rules: WindowRules },
): WindowAsk[] {
  const fresh = new Set(newOf(items, new Set(items.map((item) => item.key))));
  const counts = new Map<string, { sends: number; misses: number }>();
  for (const item of items) {
    const sender = senderOf(item);
    if (sender === undefined) continue;
    const count = counts.get(sender) ?? { sends: 0, misses: 0 };
    count[fresh.has(item) ? "sends" : "misses"] += 1;
    counts.set(sender, count);
  }
  return asksFor(counts, { allowances, rules });
}

/** What items ask of their senders' windows that were thought to be new, and were not. */
export function laterAsksOf(
  items: readonly Item[],
  {
    fresh,
    allowances,
    rules,
  }: {
    fresh: ReadonlySet<string>;
    allowances: ReadonlyMap<string, Allowance>;
    rules: WindowRules;
  },
): WindowAsk[] {
  const counts = new Map<string, { sends: number; misses: number }>();
  for (const item of newOf(items, new Set(items.map(({ key }) => key)))) {
    const sender = senderOf(item);
    if (sender === undefined || fresh.has(item.key)) continue;
    counts.set(sender, { sends: 0, misses: (counts.get(sender)?.misses ?? 0) + 1 });
  }
  return asksFor(counts, { allowances, rules });
}

function asksFor(
  counts: ReadonlyMap<string, { sends: number; misses: number }>,
  { allowances, rules }: { allowances: ReadonlyMap<string, Allowance>; rules: WindowRules },
): WindowAsk[] {
  const asks: WindowAsk[] = [];
  for (const [id, { sends, misses }] of counts) {
    const allowance = allowances.get(id);
    const ask = allowance === undefined ? undefined : askOf(id, allowance, { sends, misses, rules });
    if (ask !== undefined && ask.sends + ask.misses > 0) asks.push(ask);
  }
  return asks.sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}

/** The first item of each of these keys that has somewhere to go. */
function newOf(items: readonly Item[], keys: ReadonlySet<string>): Item[] {
  const unseen = new Set(keys);
  return items.filter((item) => !isUnknown(item) && unseen.delete(item.key));
}

function additionOf(byDevice: Map<string, Addition>, deviceId: string): Addition {
  const found = byDevice.get(deviceId);
  if (found !== undefined) return found;
  const addition = { deviceId, arrivals: 0, bytes: 0 };
  byDevice.set(deviceId, addition);
  return addition;
}

function sumRefunds(refused: readonly Item[]): Refund[] {
  const refunds = new Map<string, Refund>();
  for (const { recipient, envelope } of refused) {
    if (recipient === undefined) continue;
    const { device_id: deviceId } = recipient;
    const refund = refunds.get(deviceId) ?? { deviceId, arrivals: 0, bytes: 0 };
    refund.arrivals += 1;
    refund.bytes += envelope.ciphertext.length;
    refunds.set(deviceId, refund);
  }
  return [...refunds.values()];
}
