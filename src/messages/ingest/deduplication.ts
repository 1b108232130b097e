import type { Knex } from "knex";
import { beginWithDay, dayBytes, keyedHashText } from "../../platform/auth/keyed-hash.js";
import type { Secrets } from "../../platform/auth/secrets.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Shards } from "../../platform/cluster/shards.js";
import type { Config } from "../../platform/config/config.js";
import { inBoundedSteps } from "../../platform/database/bounded-steps.js";
import type { Db } from "../../platform/database/connection.js";
import { dayOfMessageId } from "../../protocol/identifiers.js";
import { daySeconds } from "../../protocol/units.js";
import type { Envelope, Sender } from "../types.js";
import { deleteExpiredKeys, findKeys, readEarlierKeyDays } from "./deduplication-store.js";
import { placedKeys } from "./place-key.js";

// A repetition is recognised by one keyed hash, the message's key; nothing else of a message is kept for that. A reader
// of the table learns neither sender nor recipient, and cannot test guesses without the secret. The first part of each
// hash's input separates the kinds of sender.
//
// A key begins with the day of the message's id, which is a UUIDv7. This reveals no more than the day on which the key
// expires. Keys of versions before this one had no day: they are "earlier keys".

/** The name of the secret that keys the hashes. */
export const deduplicationSecret = "deduplication";

/**
 * How earlier keys are treated: `none`, if the database never held any or all have expired; `found`, looked for while
 * some may be left; `stored`, written as well while nodes of the version before may still be running.
 */
export type EarlierKeys = "none" | "found" | "stored";

export type EarlierKeysAt = (now: number) => EarlierKeys;

export interface Deduplication {
  start(): Promise<void>;
  keyOf(sender: Sender, envelope: Envelope): string;
  /** The earlier key, while earlier keys matter. */
  earlierKeyOf(sender: Sender, envelope: Envelope): string | undefined;
  earlierKeys: EarlierKeysAt;
  /** Whether the device sent a message with this id to one of these addresses, within the retention period. */
  wasSentBy(db: Db, sent: { senderId: string; messageId: string; prefixes: readonly string[] }): Promise<boolean>;
  /** Removes keys that were kept for the retention period; returns how many. */
  expireKeys(): Promise<number>;
}

export function createDeduplication(deps: {
  db: Knex;
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  shards: Pick<Shards, "isDistributed">;
  config: Pick<Config, "expiryStepRows">;
}): Deduplication {
  const { db, clock, secrets, shards, config } = deps;
  let secret: Uint8Array = new Uint8Array(0);
  let earlierKeys: EarlierKeysAt = () => "none";

  return {
    async start() {
      secret = await secrets.get(deduplicationSecret);
      earlierKeys = await readEarlierKeys(db);
    },
    keyOf: (sender, envelope) => keyOf(secret, sender, envelope),
    earlierKeyOf: (sender, envelope) =>
      earlierKeys(clock.nowSeconds()) === "none" ? undefined : earlierKeyOf(secret, sender, envelope),
    earlierKeys: (now) => earlierKeys(now),
    async wasSentBy(at, { senderId, messageId, prefixes }) {
      const keys = prefixes.flatMap((prefix) => {
        const sent = { senderId, messageId, prefix };
        const key = deviceKey(secret, sent);
        return [key, earlierDeviceKey(secret, sent), ...(shards.isDistributed() ? placedKeys(key) : [])];
      });
      return keys.length > 0 && (await findKeys(at, keys)).length > 0;
    },
    expireKeys() {
      const limit = config.expiryStepRows;
      const today = Math.floor(clock.nowSeconds() / daySeconds);
      return inBoundedSteps(limit, () => deleteExpiredKeys(db, { today, limit }));
    },
  };
}

async function readEarlierKeys(db: Db): Promise<EarlierKeysAt> {
  const row = await readEarlierKeyDays(db);
  return (now) => {
    const today = Math.floor(now / daySeconds);
    if (row === undefined || today > row.kept_until) return "none";
    return today > row.written_until ? "found" : "stored";
  };
}

/** A message that a device of this server sends. */
export interface SentByDevice {
  senderId: string;
  messageId: string;
  prefix: string;
  domain?: string | undefined;
}

/** The key of a message that a device of this server sends: 32 bytes, one character each. */
export function deviceKey(secret: Uint8Array, sent: SentByDevice): string {
  return beginWithDay(dayOfMessageId(sent.messageId), earlierDeviceKey(secret, sent));
}

/** The same without the day. */
export function earlierDeviceKey(secret: Uint8Array, sent: SentByDevice): string {
  const { senderId, messageId, prefix, domain = "" } = sent;
  return keyedHashText(secret, "device", senderId, messageId, prefix, domain);
}

/**
 * The key of an envelope from any sender. A peer's tag replaces sender, id and recipient; it is such a key itself, so its
 * day is taken over. Without a tag, the ciphertext becomes part of the hash.
 */
export function keyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): string {
  const { messageId, dedupTag } = envelope;
  const isTagged = sender.kind === "peer" && dedupTag !== undefined;
  return beginWithDay(
    isTagged ? dayOfTag(dedupTag) : dayOfMessageId(messageId),
    earlierKeyOf(secret, sender, envelope),
  );
}

/** The same without the day. */
function earlierKeyOf(secret: Uint8Array, sender: Sender, envelope: Envelope): string {
  const { messageId, recipient: prefix, domain, dedupTag } = envelope;
  if (sender.kind === "device") {
    return earlierDeviceKey(secret, { senderId: sender.deviceId, messageId, prefix, domain });
  }
  if (dedupTag !== undefined) return keyedHashText(secret, "tag", sender.domain, dedupTag);
  return keyedHashText(secret, "peer", sender.domain, messageId, prefix, envelope.ciphertext);
}

function dayOfTag(dedupTag: string): number {
  return Number.parseInt(dedupTag.slice(0, 2 * dayBytes), 16);
}
