import type { Knex } from "knex";
import type { Secrets } from "../../platform/auth/secrets.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Db } from "../../platform/database/connection.js";
import type { Envelope, Sender } from "../types.js";
import { deduplicationSecret, deviceKey, earlierDeviceKey, earlierKeyOf, keyOf } from "./dedup-keys.js";
import { type EarlierKeys, type EarlierKeysAt, readEarlierKeys } from "./earlier-keys.js";
import { findKeys } from "./store.js";

/** The hashes that messages are recognised by. */
export interface Recognition {
  start(): Promise<void>;
  keyOf(sender: Sender, envelope: Envelope): string;
  /** The hash in its earlier form, where that still matters. */
  earlierKeyOf(sender: Sender, envelope: Envelope): string | undefined;
  /** What is done about the earlier form. */
  earlierKeys(now: number): EarlierKeys;
  wasSentBy(db: Db, sent: { senderId: string; messageId: string; prefixes: readonly string[] }): Promise<boolean>;
}

export function createRecognition(deps: { db: Knex; clock: Clock; secrets: Pick<Secrets, "get"> }): Recognition {
  const { db, clock, secrets } = deps;
  let secret: Uint8Array = new Uint8Array(0);
  let earlierKeysAt: EarlierKeysAt = () => "none";

  return {
    async start() {
      secret = await secrets.get(deduplicationSecret);
      earlierKeysAt = await readEarlierKeys(db);
    },
    keyOf: (sender, envelope) => keyOf(secret, sender, envelope),
    earlierKeyOf: (sender, envelope) =>
      earlierKeysAt(clock.nowSeconds()) === "none" ? undefined : earlierKeyOf(secret, sender, envelope),
    earlierKeys: (now) => earlierKeysAt(now),
    async wasSentBy(at, { senderId, messageId, prefixes }) {
      const keys = prefixes.flatMap((prefix) => {
        const sent = { senderId, messageId, prefix };
        return [deviceKey(secret, sent), earlierDeviceKey(secret, sent)];
      });
      return keys.length > 0 && (await findKeys(at, keys)).length > 0;
    },
  };
}
