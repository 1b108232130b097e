import type { Allowance } from "./allowances.js";
import type { Addition, MailboxState, Refund } from "./intake-store.js";
import { type Item, isRemote, isUnknown } from "./item.js";

/** What a flush adds to mailboxes, and what they held afterwards. */
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

/** Adds up, per device, what its items send, miss and receive, as if every new message were accepted. */
export function tallyUp(
  items: readonly Item[],
  { fresh, allowances }: { fresh: ReadonlySet<string>; allowances: ReadonlyMap<string, Allowance> },
): Tally {
  const byDevice = new Map<string, Addition>();
  const unseen = new Set(fresh);
  const counted: Item[] = [];
  for (const item of items) {
    if (!isUnknown(item) && unseen.delete(item.key)) {
      counted.push(item);
      addMessage(byDevice, item, allowances);
    } else {
      addMiss(byDevice, item, allowances);
    }
  }
  const additions = [...byDevice.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  return { additions, byDevice, counted, states: new Map(), refunds: sumRefunds };
}

function addMessage(byDevice: Map<string, Addition>, item: Item, allowances: ReadonlyMap<string, Allowance>): void {
  if (item.sender.kind === "device") {
    additionOf(byDevice, item.sender.deviceId, allowances.get(item.sender.deviceId)).counted += 1;
  }
  if (isRemote(item) || item.recipient === undefined) return;
  const { device_id: deviceId } = item.recipient;
  const addition = additionOf(byDevice, deviceId, allowances.get(deviceId));
  addition.arrivals += 1;
  addition.bytes += item.envelope.ciphertext.length;
}

/** Where there is no limit there is none on misses either, and nothing is written for them. */
function addMiss(byDevice: Map<string, Addition>, item: Item, allowances: ReadonlyMap<string, Allowance>): void {
  if (item.sender.kind !== "device") return;
  const allowance = allowances.get(item.sender.deviceId);
  if (allowance === undefined || allowance.limit === null) return;
  additionOf(byDevice, item.sender.deviceId, allowance).missed += 1;
}

function additionOf(byDevice: Map<string, Addition>, deviceId: string, allowance: Allowance | undefined): Addition {
  const found = byDevice.get(deviceId);
  if (found !== undefined) return found;
  const { windowLimit, mostCarried } = allowance ?? { windowLimit: 0, mostCarried: 0 };
  const addition = { deviceId, counted: 0, missed: 0, windowLimit, mostCarried, arrivals: 0, bytes: 0 };
  byDevice.set(deviceId, addition);
  return addition;
}

function sumRefunds(refused: readonly Item[]): Refund[] {
  const refunds = new Map<string, Refund>();
  const refundOf = (deviceId: string): Refund => {
    const refund = refunds.get(deviceId) ?? { deviceId, counted: 0, arrivals: 0, bytes: 0 };
    refunds.set(deviceId, refund);
    return refund;
  };
  for (const { sender, recipient, envelope } of refused) {
    if (sender.kind === "device") refundOf(sender.deviceId).counted += 1;
    if (recipient === undefined) continue;
    const refund = refundOf(recipient.device_id);
    refund.arrivals += 1;
    refund.bytes += envelope.ciphertext.length;
  }
  return [...refunds.values()];
}
