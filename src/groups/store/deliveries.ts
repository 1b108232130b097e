// What has become of this device's own messages. A record is there only while a message waits, or if it did not reach everybody.

import type { Delivery, Message } from "./events.js";
import type { Ledger, Transaction } from "./ledger.js";
import { deliveryPrefix, idKey, inGroup, keyOf } from "./record-keys.js";
import type { StoredDelivery } from "./records.js";

interface Named {
  group: string;
  message: string;
}

const prefixOf = (group: string) => inGroup(deliveryPrefix, group);
const deliveryKey = ({ group, message }: Named) => keyOf(prefixOf(group), idKey(message));
const sent: StoredDelivery = { isWaiting: false, undelivered: [] };

export function noteWaiting(transaction: Transaction, named: Named, delay?: StoredDelivery["delay"]): Promise<void> {
  return change(transaction, named, ({ undelivered }) => ({ isWaiting: true, undelivered, ...(delay && { delay }) }));
}

export function noteUndelivered(
  transaction: Transaction,
  named: Named,
  to: StoredDelivery["undelivered"][number],
): Promise<void> {
  return change(transaction, named, (old) => ({ ...old, undelivered: [...old.undelivered, to] }));
}

export function noteSent(transaction: Transaction, named: Named): Promise<void> {
  return change(transaction, named, ({ undelivered }) => ({ isWaiting: false, undelivered }));
}

export function forgetDelivery(transaction: Transaction, named: Named): void {
  transaction.remove(deliveryKey(named));
}

async function change(
  transaction: Transaction,
  named: Named,
  next: (old: StoredDelivery) => StoredDelivery,
): Promise<void> {
  const key = deliveryKey(named);
  const news = next((await transaction.read(key)) ?? sent);
  if (news.isWaiting || news.undelivered.length > 0) transaction.set(key, news);
  else transaction.remove(key);
}

/** The messages with what has become of those of this device. */
export async function withDeliveries(
  ledger: Ledger,
  messages: readonly Message[],
  { group, device }: { group: string; device: string },
): Promise<Message[]> {
  const own = messages.some(({ from }) => from.device === device);
  const stored = new Map(own ? await ledger.readAll(prefixOf(group)) : []);
  return messages.map((message) => {
    if (message.from.device !== device) return message;
    return { ...message, delivery: deliveryOf(stored.get(deliveryKey({ group, message: message.id })) ?? sent) };
  });
}

function deliveryOf({ isWaiting, delay, undelivered }: StoredDelivery): Delivery {
  return { state: isWaiting ? "waiting" : undelivered.length > 0 ? "undelivered" : "sent", ...delay, undelivered };
}
