import type { Secrets } from "../../../auth/secrets.js";
import { inBoundedSteps } from "../../../database/bounded-steps.js";
import type { Database, Db } from "../../../database/db.js";
import { placeKey } from "../../../database/key-placement.js";
import type { Placement } from "../../../database/placement.js";
import type { Clock } from "../../../node/clock.js";
import type { NodeSettings } from "../../../node/config.js";
import type { Logger } from "../../../platform/logger.js";
import { daySeconds } from "../../../protocol/units.js";
import type { SettingsService } from "../../../settings/service.js";
import type { Envelope, Sender } from "../../model/types.js";
import { findDuplicates } from "./duplicate.js";
import { createKeyPartitions, type Retention } from "./key-partitions.js";
import { deleteExpiredKeys } from "./key-store.js";
import type { KeyRules } from "./key-tables.js";
import { deviceKey, keyOf, type MessageKey } from "./message-key.js";

/** The name of the secret that keys the hashes. */
const deduplicationSecret = "deduplication";

export interface Deduplication {
  start(): Promise<void>;
  keyOf(sender: Sender, envelope: Envelope): MessageKey;
  /** Where keys are stored and looked up at this time. Records how long the keys stored now are kept. */
  rulesAt(now: number, retentionDays: number): Promise<KeyRules>;
  /**
   * Whether a device sent a message with this id to another device at one of these addresses, or to one of these addresses of
   * another server, within the retention period.
   */
  wasSentBy(db: Db, sent: SentToDevice): Promise<boolean>;
  /** Prepares the storage for the keys of the next days. Never throws. */
  prepareKeys(): Promise<void>;
  /** Removes keys whose retention period has ended; returns the number of whole days, and of other keys. */
  expireKeys(): Promise<{ days: number; keys: number }>;
}

interface SentToDevice {
  senderId: string;
  messageId: string;
  recipient: { deviceId: string } | { domain: string };
  /** The recipient's. */
  prefixes: readonly string[];
}

export function createDeduplication(deps: {
  db: Database;
  placement: Pick<Placement, "hasPartitions">;
  clock: Clock;
  logger: Logger;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  config: Pick<NodeSettings, "expiryStepRows">;
}): Deduplication {
  const { db, clock, secrets, settings } = deps;
  const { hasPartitions } = deps.placement;
  const limit = deps.config.expiryStepRows;
  const partitions = createKeyPartitions({ ...deps, limit });
  let secret: Uint8Array = new Uint8Array(0);

  const today = () => Math.floor(clock.nowSeconds() / daySeconds);
  const retention = (): Retention => ({
    today: today(),
    retentionDays: settings.current().server.max_retention_days,
  });
  const prepareKeys = async (): Promise<void> => {
    if (hasPartitions) await partitions.prepare(retention());
  };

  return {
    async start() {
      secret = await secrets.get(deduplicationSecret);
      await prepareKeys();
    },
    keyOf: (sender, envelope) => keyOf(secret, sender, envelope),
    async rulesAt(now, retentionDays) {
      const at = { today: Math.floor(now / daySeconds), retentionDays };
      if (hasPartitions) await partitions.keep(at);
      return { ...at, hasPartitions };
    },
    async wasSentBy(at, { senderId, messageId, recipient, prefixes }) {
      const keys = prefixes.map((prefix) => {
        const sent = { senderId, messageId, prefix };
        if ("domain" in recipient) return deviceKey(secret, { ...sent, domain: recipient.domain });
        return placeKey(deviceKey(secret, sent), recipient.deviceId);
      });
      return (await findDuplicates(at, keys, { ...retention(), hasPartitions })).size > 0;
    },
    prepareKeys,
    async expireKeys() {
      const now = today();
      const keys = await inBoundedSteps(limit, () => deleteExpiredKeys(db, { today: now, limit }));
      return { keys, days: hasPartitions ? await partitions.drop(now) : 0 };
    },
  };
}
