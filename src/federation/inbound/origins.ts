import { beginWithDay, keyedHashText } from "../../auth/keyed-hash.js";
import type { Secrets } from "../../auth/secrets.js";
import type { Db } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import { dayOfMessageId } from "../../protocol/identifiers.js";
import type { SettingsService } from "../../settings/service.js";
import { dayOf } from "../peers/store.js";
import { deleteExpiredOrigins, readOrigins } from "./store.js";

/** A message delivered to a device of this server. */
interface DeliveredMessage {
  messageId: string;
  prefix: string;
}

/**
 * The servers that messages came from, stored for the retention period so that a spam report counts against the right
 * server. Only a keyed hash of message id and recipient is stored, which reveals neither.
 */
export type Origins = ReturnType<typeof createOrigins>;

/** The name of the secret that hashes message ids and recipients. */
export const originsSecret = "federation-origins";

export function createOrigins(deps: {
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  config: Pick<NodeSettings, "expiryStepRows">;
}) {
  const { clock, secrets, settings, config } = deps;
  const keysOf = async (messages: readonly DeliveredMessage[]): Promise<string[]> => {
    const secret = await secrets.get(originsSecret);
    return messages.map(({ messageId, prefix }) =>
      beginWithDay(dayOfMessageId(messageId), keyedHashText(secret, messageId, prefix)),
    );
  };

  return {
    /** The keys under which the origins of messages are stored, and the last day on which they are. */
    async keysOf(messages: readonly DeliveredMessage[]): Promise<{ keys: string[]; expiresOn: number }> {
      const expiresOn = dayOf(clock.nowSeconds()) + settings.current().server.max_retention_days;
      return { keys: await keysOf(messages), expiresOn };
    },
    /** The hosts that sent the message with this id to one of these prefixes, and to which. */
    async find(
      db: Db,
      { messageId, prefixes }: { messageId: string; prefixes: readonly string[] },
    ): Promise<{ host: string; prefix: string }[]> {
      if (prefixes.length === 0) return [];
      const keys = await keysOf(prefixes.map((prefix) => ({ messageId, prefix })));
      const found = await readOrigins(db, keys);
      return found.map(({ key, host }) => ({ host, prefix: prefixes[keys.indexOf(key)] as string }));
    },
    async removeExpired(db: Db): Promise<void> {
      const step = { today: dayOf(clock.nowSeconds()), limit: config.expiryStepRows };
      while ((await deleteExpiredOrigins(db, step)) === step.limit);
    },
  };
}
