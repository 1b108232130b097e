import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Database, Db } from "../database/db.js";
import { inPersistentTransaction } from "../database/transaction-retry.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { deleteAddresses } from "./address-store.js";
import type { BlockTombstones } from "./block-tombstones.js";
import { deleteInactive, lockDevices } from "./store.js";

/** Deletes the rows that other modules keep about devices, in the transaction that removes the devices. */
export type ForgetDevices = (db: Db, ids: readonly string[]) => Promise<void>;

/** Activity is recorded to the hour, and written with a delay. */
const activityDelaySeconds = 2 * hourSeconds;

export type Removal = ReturnType<typeof createRemoval>;

interface Step {
  ids: readonly string[];
  now: number;
  /** Unix seconds: only devices that were last active before this are removed. */
  before: number;
}

/** Removes whole devices, with the rows of every module. */
export function createRemoval(deps: {
  settings: Pick<SettingsService, "current">;
  tombstones: BlockTombstones;
  forget: ForgetDevices;
  sessions: Pick<Sessions, "endOfDevices">;
  config: Pick<AuthSettings, "deviceTokenSeconds">;
}) {
  /**
   * A device is active when it gets a token. If tokens expire before inactive devices are removed, no removed device has a
   * valid token left.
   */
  const mayHoldTokens = (): boolean => {
    const retentionSeconds = deps.settings.current().storage.metadata_retention_days * daySeconds;
    return retentionSeconds < deps.config.deviceTokenSeconds + activityDelaySeconds;
  };
  const remove = async (transaction: Db, step: Step): Promise<number> => {
    await lockDevices(transaction, step.ids);
    const removed = await deleteInactive(transaction, step);
    const removedIds = removed.map((device) => device.deviceId);
    await deps.tombstones.keep(transaction, removed, step.now);
    await deleteAddresses(transaction, removedIds);
    await deps.forget(transaction, removedIds);
    if (mayHoldTokens()) await deps.sessions.endOfDevices(transaction, removedIds);
    return removed.length;
  };

  return {
    /** Removes those of some devices that are inactive, in a transaction; returns how many. */
    removeInactive: (db: Database, step: Step): Promise<number> =>
      inPersistentTransaction(db, (transaction) => remove(transaction, step)),
    /** Removes one device, active or not, in the caller's transaction; false if there is none. */
    async removeOne(trx: Db, deviceId: string, now: number): Promise<boolean> {
      return (await remove(trx, { ids: [deviceId], now, before: Number.MAX_SAFE_INTEGER })) > 0;
    },
  };
}
