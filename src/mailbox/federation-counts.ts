import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import { type Db, inTransaction, type Pipeline } from "../platform/database/connection.js";
import type { SettingsService } from "../settings/service.js";
import {
  addFederationCounts,
  type FederationCount,
  findForgettableDomains,
  foldDomains,
  readFederation,
} from "./federation-counts-store.js";
import { type Item, isQueued, isRemote, refusalOf } from "./item.js";
import { retrying } from "./retrying.js";

/** A device's dealings with other servers. Domains are those it wrote to lately, the latest first. */
export interface DeviceFederation {
  domains: string[];
  sent: number;
  received: number;
}

export interface FederationCounts {
  /** What is known of one device; zeros where it never wrote to another server nor heard from one. */
  federationOf(db: Db, deviceId: string): Promise<DeviceFederation>;
  /** Forgets domains that are too old or too many, keeping their sums. */
  foldFederationCounts(): Promise<void>;
}

/** Stands for messages received from anywhere, and sent to domains that are not remembered any more. */
const anywhere = "";
const mostDomains = 100;
const foldedAtOnce = 1000;
const secondsPerDay = 86_400;

/**
 * Counts what was exchanged with other servers, in the transaction that stores it. The counts are by day at the most:
 * no time in them matches a message's. Rows are added to in one order.
 */
export async function countFederated(trx: Db | Pipeline, items: readonly Item[], now: number): Promise<void> {
  const counts = new Map<string, FederationCount>();
  const countOf = (deviceId: string, domain: string): FederationCount => {
    const key = `${deviceId} ${domain}`;
    const count = counts.get(key) ?? { deviceId, domain, sent: 0, received: 0 };
    counts.set(key, count);
    return count;
  };
  for (const item of items) {
    const { sender, recipient, envelope } = item;
    if (refusalOf(item) !== undefined) continue;
    if (isRemote(item) && sender.kind === "device") countOf(sender.deviceId, envelope.domain ?? anywhere).sent += 1;
    if (isQueued(item) && sender.kind === "peer" && recipient) countOf(recipient.device_id, anywhere).received += 1;
  }
  if (counts.size === 0) return;
  const inOrder = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  await addFederationCounts(trx, inOrder, Math.floor(now / secondsPerDay));
}

export function createFederationCounts(needs: {
  db: Knex;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
}): FederationCounts {
  const { db, clock, settings } = needs;
  const foldSome = async (): Promise<number> => {
    const today = Math.floor(clock.nowSeconds() / secondsPerDay);
    const before = today - settings.current().storage.metadata_retention_days;
    const found = await findForgettableDomains(db, { before, mostDomains, limit: foldedAtOnce });
    if (found.length > 0) await retrying(() => inTransaction(db, (trx) => foldDomains(trx, found, today)));
    return found.length;
  };

  return {
    federationOf: readFederation,
    async foldFederationCounts() {
      while ((await foldSome()) === foldedAtOnce);
    },
  };
}
