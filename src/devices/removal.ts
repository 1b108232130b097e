import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/sessions.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/connection.js";
import { inPersistentTransaction } from "../database/transaction-retry.js";
import type { Logger } from "../platform/logger.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { deleteAddresses } from "./address-store.js";
import type { BlockTombstones } from "./block-tombstones.js";
import { deleteEndedTombstones, deleteInactive, findInactive, lockDevices } from "./store.js";

/** Deletes the rows that other modules keep about devices, in the transaction that removes the devices. */
export type ForgetDevices = (db: Db, ids: readonly string[]) => Promise<void>;

/** Estimates how many rows depend on each of these devices. Devices with few rows may be left out. */
export type CountDeviceRows = (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Activity is recorded to the hour, and written with a delay. */
const activityDelaySeconds = 2 * hourSeconds;
const devicesPerBatch = 200;
const rowsPerStep = 20_000;

interface Removal {
  /** Removes inactive devices; returns how many. */
  run(db: Database, now: number): Promise<number>;
  /** Removes one device, active or not, in the caller's transaction; false if there is none. */
  removeOne(trx: Db, deviceId: string, now: number): Promise<boolean>;
}

/**
 * Removes devices that have been inactive for longer than `storage.metadata_retention_days`. Each step is a transaction
 * that removes whole devices, with the rows of every module. A step takes several devices as long as few rows depend on
 * them. The queue limits bound the rows of a single device.
 */
export function createRemoval(deps: {
  settings: Pick<SettingsService, "current">;
  tombstones: BlockTombstones;
  forget: ForgetDevices;
  countRows: CountDeviceRows;
  sessions: Pick<Sessions, "endOfDevices">;
  config: Pick<AuthSettings, "deviceTokenSeconds">;
  logger: Logger;
}): Removal {
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
  const removeStep = (db: Database, step: Step): Promise<number> =>
    inPersistentTransaction(db, (transaction) => remove(transaction, step));

  return {
    async removeOne(trx, deviceId, now) {
      return (await remove(trx, { ids: [deviceId], now, before: Number.MAX_SAFE_INTEGER })) > 0;
    },
    async run(db, now) {
      const before = now - deps.settings.current().storage.metadata_retention_days * daySeconds;
      let total = 0;
      await inBoundedSteps(devicesPerBatch, async (limit) => {
        const ids = await findInactive(db, { before, limit });
        const rowCounts = await deps.countRows(db, ids);
        for (const step of stepsOf(ids, rowCounts)) total += await removeStep(db, { ids: step, now, before });
        return ids.length;
      });
      await inBoundedSteps(devicesPerBatch, (limit) => deleteEndedTombstones(db, { now, limit }));
      if (total > 0) deps.logger.info({ devices: total }, "removed inactive devices");
      return total;
    },
  };
}

interface Step {
  ids: readonly string[];
  now: number;
  /** Unix seconds: only devices that were last active before this are removed. */
  before: number;
}

/** Groups devices, in order, so that the rows of a group stay within a step. A single device may exceed it. */
function stepsOf(ids: readonly string[], rowCounts: ReadonlyMap<string, number>): string[][] {
  const steps: string[][] = [];
  let rowsLeft = 0;
  for (const id of ids) {
    const rowCount = 1 + (rowCounts.get(id) ?? 0);
    const step = rowCount <= rowsLeft ? steps.at(-1) : undefined;
    if (step === undefined) steps.push([id]);
    else step.push(id);
    rowsLeft = (step === undefined ? rowsPerStep : rowsLeft) - rowCount;
  }
  return steps;
}
