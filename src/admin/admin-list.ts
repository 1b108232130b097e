import { type AuditService, bySystem } from "../audit/service.js";
import type { Database, Transaction } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { createRefreshingCache } from "../node/refreshing-cache.js";
import type { SharedPoll } from "../node/shared-poll.js";
import type { Logger } from "../platform/logger.js";
import { type DeviceId, deviceIdCandidates, deviceIdOf } from "../protocol/identifiers.js";
import type { Permission } from "./permissions.js";
import {
  type Admin,
  adminListVersion,
  deleteAdmin,
  insertSeed,
  readAdminList,
  readAdmins,
  upsertAdmin,
} from "./store.js";

/** An administrator to be added to the list. */
export interface AdminEntry {
  publicKey: Uint8Array;
  permissions: readonly Permission[];
}

/** The list of administrators, the same on every node within a second of a change. */
export type AdminList = ReturnType<typeof createAdminList>;

export interface AdminListDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  audit: Pick<AuditService, "record">;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  /** Reads the administrators that the environment names. */
  seeds: () => Promise<readonly AdminEntry[]>;
}

export function createAdminList(deps: AdminListDeps) {
  const { db, clock, audit } = deps;
  let admins = new Map<string, Admin>();
  const cache = createRefreshingCache({
    name: "admin list",
    version: { sql: adminListVersion },
    poll: deps.poll,
    logger: deps.logger,
    async read(isOfVersion) {
      const stored = await readAdminList(db);
      admins = new Map(stored.admins.map((admin) => [admin.deviceId, admin]));
      isOfVersion(stored.version);
    },
  });

  const put = (trx: Transaction, entry: AdminEntry) => putOnList(trx, entry, { audit, now: clock.nowSeconds() });
  const addSeed = (seed: AdminEntry): Promise<void> =>
    db.transaction(async (trx) => {
      if (await insertSeed(trx, deviceIdOf(seed.publicKey))) await put(trx, seed);
    });

  const findCached = (spelled: string): Admin | undefined =>
    deviceIdCandidates(spelled)
      .map((id) => admins.get(id))
      .find((admin) => admin !== undefined);

  return {
    /** Adds the seeds that no earlier start has added, and begins to refresh the cached list. */
    async start(): Promise<void> {
      for (const seed of await deps.seeds()) await addSeed(seed);
      await cache.start();
    },
    stop: () => cache.stop(),
    /**
     * Finds the administrator with this id or public key in the cached list, which is at most a second old. If it is not
     * there, the list is read again, so that an administrator who was just added is found. Concurrent calls share the
     * read.
     */
    async find(spelled: string): Promise<Admin | undefined> {
      const found = findCached(spelled);
      if (found === undefined) await cache.refresh();
      else await cache.ensure();
      return findCached(spelled);
    },
    /** Likewise, but always reads the list again, so that the time does not tell whether the administrator exists. */
    async findAfresh(spelled: string): Promise<Admin | undefined> {
      await cache.refresh();
      return findCached(spelled);
    },
    all: () => readAdmins(db),
    /** Adds an administrator, or replaces the permissions of one who is on the list. */
    put: (entry: AdminEntry) => db.transaction((trx) => put(trx, entry)),
    /** Removes an administrator, which ends every session; false if nobody has this id or key. */
    async remove(spelled: string): Promise<boolean> {
      for (const target of deviceIdCandidates(spelled)) {
        const removed = await db.transaction(async (trx) => {
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
  trx: Transaction,
  { publicKey, permissions }: AdminEntry,
  { audit, now }: { audit: Pick<AuditService, "record">; now: number },
): Promise<{ deviceId: DeviceId; added: boolean }> {
  const deviceId = deviceIdOf(publicKey);
  const added = await upsertAdmin(trx, { deviceId, publicKey, permissions, addedAt: now });
  const action = added ? "admin_added" : "admin_permissions_changed";
  await audit.record(trx, { ...bySystem, action, target: deviceId, details: { permissions: [...permissions] } });
  return { deviceId, added };
}
