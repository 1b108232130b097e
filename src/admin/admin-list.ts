import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { inTransaction } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import { createRefreshingCache } from "../platform/refreshing-cache.js";
import { type DeviceId, deviceIdCandidates, deviceIdOf } from "../protocol/identifiers.js";
import type { Permission } from "./permissions.js";
import { type Admin, deleteAdmin, insertSeed, readAdmins, upsertAdmin } from "./store.js";

/** An administrator to be put on the list. */
export interface AdminEntry {
  publicKey: Uint8Array;
  permissions: readonly Permission[];
}

/** The list of administrators, the same on every node within a second of a change. */
export interface AdminList {
  /** Takes the seeds over that no start has taken over before, and begins to keep the copy fresh. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The administrator with this id, or with this public key, as the list was at most a second ago. */
  find(spelled: string): Promise<Admin | undefined>;
  all(): Promise<Admin[]>;
  /** Puts an administrator on the list or changes the permissions of one who is there. */
  put(entry: AdminEntry): Promise<{ deviceId: DeviceId; added: boolean }>;
  /** Takes one off the list, which voids every session; false if nobody has this id or key. */
  remove(spelled: string): Promise<boolean>;
}

export interface AdminListDeps {
  db: Knex;
  clock: Clock;
  logger: Logger;
  audit: Pick<AuditService, "record">;
  config: Pick<Config, "settingsRefreshMillis">;
  /** The administrators whom the environment names. */
  seeds: () => Promise<readonly AdminEntry[]>;
}

const bySystem = { admin: null, ipAddress: null, userAgent: null };

export function createAdminList(deps: AdminListDeps): AdminList {
  const { db, clock, audit } = deps;
  let admins = new Map<string, Admin>();
  const copy = createRefreshingCache({
    name: "admin list",
    everyMillis: deps.config.settingsRefreshMillis,
    logger: deps.logger,
    async read() {
      admins = new Map((await readAdmins(db)).map((admin) => [admin.deviceId, admin]));
    },
  });

  const put = (trx: Knex.Transaction, entry: AdminEntry) => putOnList(trx, entry, { audit, now: clock.nowSeconds() });
  const takeOver = (seed: AdminEntry): Promise<void> =>
    inTransaction(db, async (trx) => {
      if (await insertSeed(trx, deviceIdOf(seed.publicKey))) await put(trx, seed);
    });

  return {
    async start() {
      for (const seed of await deps.seeds()) await takeOver(seed);
      await copy.start();
    },
    stop: () => copy.stop(),
    async find(spelled) {
      await copy.ensure();
      return deviceIdCandidates(spelled)
        .map((id) => admins.get(id))
        .find((admin) => admin !== undefined);
    },
    all: () => readAdmins(db),
    put: (entry) => inTransaction(db, (trx) => put(trx, entry)),
    async remove(spelled) {
      for (const target of deviceIdCandidates(spelled)) {
        const removed = await inTransaction(db, async (trx) => {
          if (!(await deleteAdmin(trx, target))) return false;
          await audit.record(trx, { ...bySystem, action: "admin_removed", target, details: {} });
          return true;
        });
        if (removed) return true;
      }
      return false;
    },
  };
}

async function putOnList(
  trx: Knex.Transaction,
  { publicKey, permissions }: AdminEntry,
  { audit, now }: { audit: Pick<AuditService, "record">; now: number },
): Promise<{ deviceId: DeviceId; added: boolean }> {
  const deviceId = deviceIdOf(publicKey);
  const added = await upsertAdmin(trx, { deviceId, publicKey, permissions, addedAt: now });
  const action = added ? "admin_added" : "admin_permissions_changed";
  await audit.record(trx, { ...bySystem, action, target: deviceId, details: { permissions: [...permissions] } });
  return { deviceId, added };
}
