import type { Database, Db, Executor, Pipeline } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import { daySeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import { retrying } from "../model/retry.js";
import type { DeviceFederation } from "../model/types.js";
import {
  addFederationCounts,
  addRecentSends,
  addSends,
  findForgettableDomains,
  forgetDomains,
  readFederation,
} from "./federation-counts-store.js";
import type { RetryLater } from "./model/retry-later.js";
import { type Decided, isQueued, isRemote, refusalOf, senderOf } from "./model/stages.js";

export interface FederationCounts {
  /** The counts of one device; zeros if it never exchanged a message with another server. */
  federationOf(db: Db, deviceId: string): Promise<DeviceFederation>;
  /**
   * Counts messages that devices sent to other servers, in a separate statement after the commit: written together with
   * the message, the count would reveal the sender. If this connection fails, the statement is repeated on others.
   * Never throws.
   */
  countSends(db: Pipeline, decided: readonly Decided[], now: number): Promise<void>;
  /** Adds the recent sends of all devices together to the lasting counts. */
  addRecentSends(): Promise<void>;
  /** Forgets domains that are too old or too many, keeping their sums. */
  forgetOldDomains(): Promise<void>;
}

/** Stands for messages received from any domain, and sent to domains that are no longer remembered. */
const anyDomain = "";
const maxDomains = 100;
const maxRowsAtOnce = 1000;

/**
 * Counts messages that came from other servers, in the transaction that stores them. The counts contain only days, so
 * no time in them identifies a message. Rows are updated in one order.
 */
export async function countReceived(trx: Executor, decided: readonly Decided[], now: number): Promise<void> {
  const received = decided.filter((one) => isQueued(one) && one.message.sender.kind === "peer");
  const counts = countBy(received, ({ message }) => ({
    deviceId: message.recipient?.device_id ?? "",
    domain: anyDomain,
  }));
  if (counts.length === 0) return;
  const sums = counts.map(({ deviceId, domain, count }) => ({ deviceId, domain, sent: 0, received: count }));
  await addFederationCounts(trx, sums, Math.floor(now / daySeconds));
}

function countBy(
  decided: readonly Decided[],
  nameOf: (one: Decided) => { deviceId: string; domain: string },
): { deviceId: string; domain: string; count: number }[] {
  const counts = new Map<string, { deviceId: string; domain: string; count: number }>();
  for (const one of decided) {
    const { deviceId, domain } = nameOf(one);
    const key = `${deviceId} ${domain}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { deviceId, domain, count: 1 });
    else found.count += 1;
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

export function createFederationCounts(deps: {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  retryLater: RetryLater;
}): FederationCounts {
  const { db, clock, settings, retryLater } = deps;
  const forgetSome = async (): Promise<number> => {
    const today = Math.floor(clock.nowSeconds() / daySeconds);
    const before = today - settings.current().storage.metadata_retention_days;
    const found = await findForgettableDomains(db, { before, maxDomains, limit: maxRowsAtOnce });
    if (found.length > 0) await retrying(() => db.transaction((trx) => forgetDomains(trx, found, today)));
    return found.length;
  };

  const addAllRecent = async (): Promise<void> => {
    while ((await db.transaction((trx) => addRecentSends(trx, maxRowsAtOnce))) === maxRowsAtOnce);
  };

  return {
    federationOf: readFederation,
    async countSends(connection, decided, now) {
      const sent = decided.filter(
        (one) => isRemote(one.message) && one.used === "sends" && refusalOf(one) === undefined,
      );
      const counts = countBy(sent, ({ message }) => ({
        deviceId: senderOf(message) ?? "",
        domain: message.envelope.domain ?? anyDomain,
      }));
      if (counts.length === 0) return;
      const today = Math.floor(now / daySeconds);
      await addSends(connection, counts, today).catch(() => retryLater.run(() => addSends(db, counts, today)));
    },
    addRecentSends: addAllRecent,
    async forgetOldDomains() {
      await addAllRecent();
      while ((await forgetSome()) === maxRowsAtOnce);
    },
  };
}
