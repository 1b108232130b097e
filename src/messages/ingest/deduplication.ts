import type { Knex } from "knex";
import type { Secrets } from "../../platform/auth/secrets.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import { inBoundedSteps } from "../../platform/database/bounded-steps.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import { isDistributed } from "../../platform/database/distribute.js";
import type { Logger } from "../../platform/logger.js";
import { daySeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { Envelope, Sender } from "../types.js";
import { deleteExpiredKeys, findKeys, findKeysApart, readEarlierFormDays } from "./deduplication-store.js";
import { createKeyDays, type Retention } from "./key-days.js";
import { type EarlierFormDays, type KeyRules, placesOf } from "./key-rules.js";
import { deviceKey, formsOf, keyOf, type MessageKey } from "./message-key.js";
import { placedKeys } from "./place-key.js";

/** The name of the secret that keys the hashes. */
export const deduplicationSecret = "deduplication";

export interface Deduplication {
  start(): Promise<void>;
  keyOf(sender: Sender, envelope: Envelope): MessageKey;
  /** Where keys are stored and looked for at this time. Records that what is stored now is kept for so long. */
  rulesAt(now: number, retentionDays: number): Promise<KeyRules>;
  /** Whether the device sent a message with this id to one of these addresses, within the retention period. */
  wasSentBy(db: Db, sent: { senderId: string; messageId: string; prefixes: readonly string[] }): Promise<boolean>;
  /** Prepares the storage of the keys of the next days. Never throws. */
  prepareKeys(): Promise<void>;
  /** Removes keys that were kept for the retention period; returns the number of whole days, and of keys beside them. */
  expireKeys(): Promise<{ days: number; keys: number }>;
}

type Forms = Omit<KeyRules, keyof Retention>;

const never: EarlierFormDays = { writtenUntil: 0, keptUntil: 0 };
const atFirst: Forms = { hasPartitions: true, long: never, dayless: never, movedKeptUntil: 0, placelessKeptUntil: 0 };

export function createDeduplication(deps: {
  db: Knex;
  clock: Clock;
  logger: Logger;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  config: Pick<Config, "expiryStepRows">;
}): Deduplication {
  const { db, clock, secrets, settings } = deps;
  const limit = deps.config.expiryStepRows;
  const days = createKeyDays({ ...deps, limit });
  let secret: Uint8Array = new Uint8Array(0);
  let forms = atFirst;

  const today = () => Math.floor(clock.nowSeconds() / daySeconds);
  const retention = (): Retention => ({
    today: today(),
    retentionDays: settings.current().server.max_retention_days,
  });
  const prepareKeys = async (): Promise<void> => {
    if (forms.hasPartitions) await days.prepare(retention());
  };

  return {
    async start() {
      secret = await secrets.get(deduplicationSecret);
      forms = await readForms(db);
      await prepareKeys();
    },
    keyOf: (sender, envelope) => keyOf(secret, sender, envelope),
    async rulesAt(now, retentionDays) {
      const at = { today: Math.floor(now / daySeconds), retentionDays };
      if (forms.hasPartitions) await days.keep(at);
      return { ...forms, ...at };
    },
    async wasSentBy(at, { senderId, messageId, prefixes }) {
      const sent = prefixes.map((prefix) => deviceKey(secret, { senderId, messageId, prefix }));
      const keys = forms.hasPartitions ? sent : sent.flatMap(placedKeys);
      return (await findStored(at, keys, { ...forms, ...retention() })).size > 0;
    },
    prepareKeys,
    async expireKeys() {
      const now = today();
      const keys = await inBoundedSteps(limit, () => deleteExpiredKeys(db, { today: now, limit }));
      return { keys, days: forms.hasPartitions ? await days.drop(now) : 0 };
    },
  };
}

async function readForms(db: Knex): Promise<Forms> {
  const hasPartitions = !(await isDistributed(db));
  return { ...atFirst, ...(await readEarlierFormDays(db)), hasPartitions };
}

/** Those of these keys that are stored, in any form. */
export async function findStored(
  db: Db | Pipeline,
  keys: readonly MessageKey[],
  rules: KeyRules,
): Promise<Set<MessageKey>> {
  const { partitions, apart, soughtApart } = placesOf(keys, rules);
  const allApart = [...apart, ...soughtApart];
  const [found, foundApart] = await Promise.all([
    partitions.length === 0 ? [] : findKeys(db, partitions),
    allApart.length === 0 ? [] : findKeysApart(db, allApart),
  ]);
  const stored = new Set([...found, ...foundApart]);
  return new Set(keys.filter((key) => formsOf(key).some((form) => stored.has(form))));
}
