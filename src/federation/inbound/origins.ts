import { beginWithDay, keyedHashText } from "../../platform/auth/keyed-hash.js";
import type { Secrets } from "../../platform/auth/secrets.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import type { Db } from "../../platform/database/connection.js";
import { dayOfMessageId } from "../../protocol/identifiers.js";
import type { SettingsService } from "../../settings/service.js";
import { dayOf } from "../peers/store.js";
import { deleteExpiredOrigins, readOrigins } from "./store.js";

/** A message that came to a device of this server. */
export interface DeliveredMessage {
  messageId: string;
  prefix: string;
}

/**
 * From which server a message came, kept for the retention period so that a report about it can be counted there. What is
 * kept is a keyed hash of message id and recipient: it tells neither to anybody who does not know both.
 */
export interface Origins {
  /** Under which keys the origin of messages is kept, and until which day. */
  keysOf(messages: readonly DeliveredMessage[]): Promise<{ keys: string[]; expiresOn: number }>;
  /** The hosts that a message with this id came from to one of these prefixes. */
  find(db: Db, delivered: { messageId: string; prefixes: readonly string[] }): Promise<string[]>;
  removeExpired(db: Db): Promise<void>;
}

/** The name of its key among the secrets. */
export const originsSecret = "federation-origins";

export function createOrigins(deps: {
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  config: Pick<Config, "expiryStepRows">;
}): Origins {
  const { clock, secrets, settings, config } = deps;
  const keysOf = async (messages: readonly DeliveredMessage[]): Promise<string[]> => {
    const secret = await secrets.get(originsSecret);
    return messages.map(({ messageId, prefix }) =>
      beginWithDay(dayOfMessageId(messageId), keyedHashText(secret, messageId, prefix)),
    );
  };
  /** As keys were before they began with a day: some may be kept from then. */
  const earlierKeysOf = async (messages: readonly DeliveredMessage[]): Promise<string[]> => {
    const secret = await secrets.get(originsSecret);
    return messages.map(({ messageId, prefix }) => keyedHashText(secret, messageId, prefix));
  };

  return {
    async keysOf(messages) {
      const expiresOn = dayOf(clock.nowSeconds()) + settings.current().server.max_retention_days;
      return { keys: await keysOf(messages), expiresOn };
    },
    async find(db, { messageId, prefixes }) {
      if (prefixes.length === 0) return [];
      const messages = prefixes.map((prefix) => ({ messageId, prefix }));
      return readOrigins(db, [...(await keysOf(messages)), ...(await earlierKeysOf(messages))]);
    },
    async removeExpired(db) {
      const step = { today: dayOf(clock.nowSeconds()), limit: config.expiryStepRows };
      while ((await deleteExpiredOrigins(db, step)) === step.limit);
    },
  };
}
