// How a device that was made from a backup comes into the user's groups: it asks their members by the door of the epoch that the backup knows. They let it in if the recovery key that
// is in a leaf of the user has signed its key package.

import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import { encodeRecord } from "../encoding/records.js";
import type { Membership } from "../membership/membership.js";
import type { Ask } from "../membership/request-encoding.js";
import type { DeviceCore } from "../sending/device-core.js";
import { callLater } from "../sending/retry.js";
import type { Message } from "../store/events.js";
import { forgetGroup } from "../store/forgetting.js";
import { importMessages } from "../store/messages.js";
import { inGroup, type Key, keyOf, localPrefix, lostPrefix, messagePrefix, restOf } from "../store/record-keys.js";
import type { Lost } from "../store/records.js";

interface ComingBack {
  ask: Ask;
  /** Creates a group of this id. */
  found(groupId: Uint8Array, name: string): Promise<unknown>;
}

const keptMillis = 30 * 86_400_000;
const firstMillis = 3_600_000;
const longestMillis = 86_400_000;
const messagesAtOnce = 200;
const groupIdBytes = 32;

/** Asks for the groups that this device is not in yet, again and again: members may not have known of the recovery key. */
export async function comeBack(
  core: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
  { ask, found }: ComingBack,
): Promise<void> {
  const { ledger, nowMillis, sleep } = core;
  for (const [key, lost] of await ledger.readAll(lostPrefix)) {
    const group = restOf(key, lostPrefix);
    const { name, door, to, isAlone, replaces, sinceMillis, askedAtMillis } = lost;
    const isOver = memberships.get(group)?.isActive || sinceMillis < nowMillis() - keptMillis;
    const pauseMillis = Math.min(longestMillis, Math.max(firstMillis, askedAtMillis - sinceMillis));
    const isDue = askedAtMillis < nowMillis() - pauseMillis;
    const isUnanswered = isAlone && (to.length === 0 || (isDue && askedAtMillis > sinceMillis + longestMillis));
    if (isOver) await ledger.store.write([[key, undefined]]);
    else if (isUnanswered) await replace(core, memberships, { key, lost, found });
    else if (isDue) {
      await ask({ group, to, by: { door, replaces, asked: { group, name } } });
      await ledger.store.write([[key, encodeRecord({ ...lost, askedAtMillis: nowMillis() })]]);
    }
  }
  if ((await ledger.store.list({ prefix: lostPrefix, limit: 1 })).length > 0)
    callLater(sleep, firstMillis, () => void comeBack(core, memberships, { ask, found }).catch(core.problem));
}

/**
 * Founds another group in place of one that the user had alone, with its messages. It has another id: the user may have added people to the old one
 * after the backup, who are still in it.
 */
async function replace(
  { ledger, randomBytes, account, nowMillis }: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
  { key, lost, found }: { key: Key<Lost>; lost: Lost } & Pick<ComingBack, "found">,
): Promise<void> {
  const group = restOf(key, lostPrefix);
  const successor = lost.successor ?? encodeHex(randomBytes(groupIdBytes));
  await ledger.store.write([[key, encodeRecord({ ...lost, successor })]]);
  if (!memberships.has(successor)) await found(decodeHex(successor) as Uint8Array, lost.name);
  let first = 0;
  for (let after: string | undefined; ; ) {
    const prefix = inGroup(messagePrefix, group);
    const page = await ledger.readAll(prefix, { limit: messagesAtOnce, ...(after !== undefined && { after }) });
    const messages = page.map(([, message]): Message => ({ ...message, group: successor }));
    await ledger.inTurn(async (transaction) => {
      await importMessages(transaction, { messages, user: account.user, nowMillis: nowMillis(), first });
      await transaction.commit();
    });
    first += messages.length;
    after = page.at(-1)?.[0];
    if (after === undefined) break;
  }
  const local = await ledger.read(keyOf(localPrefix, group));
  if (local !== undefined) await ledger.store.write([[keyOf(localPrefix, successor), encodeRecord(local)]]);
  await ledger.inTurn((transaction) => forgetGroup(ledger, transaction, group));
  await ledger.store.write([[key, undefined]]);
}

/** Those that this device is not in yet. */
export async function lostGroups(
  { ledger }: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
): Promise<{ group: string; name: string }[]> {
  const lost = await ledger.readAll(lostPrefix);
  const asked = lost.filter(([, { to }]) => to.length > 0);
  const groups = asked.map(([key, { name }]) => ({ group: restOf(key, lostPrefix), name }));
  return groups.filter(({ group }) => memberships.get(group)?.isActive !== true);
}
