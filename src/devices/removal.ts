import type { Knex } from "knex";
import type { Sessions } from "../platform/auth/sessions.js";
import type { Config } from "../platform/config/config.js";
import { inBoundedSteps } from "../platform/database/bounded-steps.js";
import type { Db } from "../platform/database/connection.js";
import { inPersistentTransaction } from "../platform/database/transaction-retry.js";
import type { Logger } from "../platform/logger.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { deleteAddresses } from "./address-store.js";
import { deleteEndedTombstones } from "./block-tombstone-store.js";
import type { BlockTombstones } from "./block-tombstones.js";
import { deleteInactive, findInactive } from "./removal-store.js";

/** Removes what a room keeps of devices, in the transaction that removes them. */
export type ForgetDevices = (db: Db, ids: readonly string[]) => Promise<void>;

/** About how many rows of the database hang on each of these devices; those with few may be left out. */
export type WeighDevices = (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** What a device last did is noted to the hour, and some time later. */
const activityNotedWithinSeconds = 2 * hourSeconds;
const devicesPerLook = 200;
const rowsPerStep = 20_000;

export interface Removal {
  run(db: Knex, now: number): Promise<number>;
  /** Removes one device however active it is, in the caller's transaction; false where there is none. */
  removeOne(trx: Db, deviceId: string, now: number): Promise<boolean>;
}

/**
 * Removes devices that have been inactive for longer than `storage.metadata_retention_days`, in steps of bounded size,
 * each a transaction of its own: a device goes with everything that any room keeps of it, or stays. A step takes several
 * devices as long as not too many rows hang on them; the limits of queues bound what hangs on one.
 */
export function createRemoval(deps: {
  settings: Pick<SettingsService, "current">;
  tombstones: BlockTombstones;
  forget: ForgetDevices;
  weigh: WeighDevices;
  sessions: Pick<Sessions, "endOfDevices">;
  config: Pick<Config, "deviceTokenSeconds">;
  logger: Logger;
}): Removal {
  /** A device that was given a token was active then, as far as that is noted; so most removed ones have none left. */
  const mayHoldTokens = (): boolean => {
    const retentionSeconds = deps.settings.current().storage.metadata_retention_days * daySeconds;
    return retentionSeconds < deps.config.deviceTokenSeconds + activityNotedWithinSeconds;
  };
  const remove = async (transaction: Db, step: Step): Promise<number> => {
    const gone = await deleteInactive(transaction, step);
    const goneIds = gone.map((device) => device.deviceId);
    await deps.tombstones.keep(transaction, gone, step.now);
    await deleteAddresses(transaction, goneIds);
    await deps.forget(transaction, goneIds);
    if (mayHoldTokens()) await deps.sessions.endOfDevices(transaction, goneIds);
    return gone.length;
  };
  const removeStep = (db: Knex, step: Step): Promise<number> =>
    inPersistentTransaction(db, (transaction) => remove(transaction, step));

  return {
    async removeOne(trx, deviceId, now) {
      return (await remove(trx, { ids: [deviceId], now, before: Number.MAX_SAFE_INTEGER })) > 0;
    },
    async run(db, now) {
      const before = now - deps.settings.current().storage.metadata_retention_days * daySeconds;
      let total = 0;
      await inBoundedSteps(devicesPerLook, async (limit) => {
        const ids = await findInactive(db, { before, limit });
        const weights = await deps.weigh(db, ids);
        for (const step of stepsOf(ids, weights)) total += await removeStep(db, { ids: step, now, before });
        return ids.length;
      });
      await inBoundedSteps(devicesPerLook, (limit) => deleteEndedTombstones(db, { now, limit }));
      if (total > 0) deps.logger.info({ devices: total }, "inactive devices were removed");
      return total;
    },
  };
}

interface Step {
  ids: readonly string[];
  now: number;
  /** Devices that were last active before this. */
  before: number;
}

/** Puts devices together, in order, as long as their rows stay within a step's; one alone may exceed it. */
function stepsOf(ids: readonly string[], weights: ReadonlyMap<string, number>): string[][] {
  const steps: string[][] = [];
  let room = 0;
  for (const id of ids) {
    const weight = 1 + (weights.get(id) ?? 0);
    const step = weight <= room ? steps.at(-1) : undefined;
    if (step === undefined) steps.push([id]);
    else step.push(id);
    room = (step === undefined ? rowsPerStep : room) - weight;
  }
  return steps;
}
