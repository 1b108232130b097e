// Sends receipts for delivered and read messages: many at once, and only in small groups.

import type { Group, Message } from "../groups/index.js";

const togetherMillis = 300;
/** In larger groups, receipts would outnumber messages. */
const maxMembers = 20;

const delivered = new Map<string, Message[]>();

/** Tells senders that their messages have arrived. */
export async function tellDelivered(group: Group | undefined, message: Message): Promise<void> {
  const { group: id } = message;
  const waiting = delivered.get(id) ?? [];
  delivered.set(id, [...waiting, message]);
  if (waiting.length > 0) return;
  await new Promise((resolve) => setTimeout(resolve, togetherMillis));
  const news = delivered.get(id) ?? [];
  delivered.delete(id);
  await sendReceipt(group, news, "delivered");
}

/** Marks messages that are in view as read, and tells their senders. */
export async function markRead(group: Group, messages: readonly Message[], user: string): Promise<void> {
  const last = messages.at(-1);
  if (last === undefined) return;
  if (last.seq > (await group.readUpTo())) await group.setRead(last);
  const untold = messages.filter(({ isMine, receipts }) => !isMine && receipts[user] !== "read");
  await sendReceipt(group, untold, "read");
}

async function sendReceipt(
  group: Group | undefined,
  messages: readonly Message[],
  status: "delivered" | "read",
): Promise<void> {
  if (messages.length === 0 || group?.state !== "active" || group.members().length > maxMembers) return;
  await group.receipt(
    messages.map(({ id }) => id),
    status,
  );
}
