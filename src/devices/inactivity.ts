import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/db.js";
import type { Logger } from "../platform/logger.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import type { Removal } from "./removal.js";
import { deleteEndedTombstones, findInactive } from "./store.js";

/** Estimates how many rows depend on each of these devices. Devices with few rows may be left out. */
export type CountDeviceRows = (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;

const devicesPerBatch = 200;
const rowsPerStep = 20_000;

/**
 * Removes devices that have been inactive for longer than `storage.metadata_retention_days`. Each step is a transaction
 * that removes whole devices, with the rows of every module. A step takes several devices as long as few rows depend on
 * them. The queue limits bound the rows of a single device.
 */
export function createInactivity(deps: {
  settings: Pick<SettingsService, "current">;
  removal: Pick<Removal, "removeInactive">;
  countRows: CountDeviceRows;
  logger: Logger;
}) {
  const { settings, removal, countRows, logger } = deps;
  return {
    /** Removes inactive devices; returns how many. */
    async removeInactive(db: Database, now: number): Promise<number> {
      const before = now - settings.current().storage.metadata_retention_days * daySeconds;
      let total = 0;
      await inBoundedSteps(devicesPerBatch, async (limit) => {
        const ids = await findInactive(db, { before, limit });
        const rowCounts = await countRows(db, ids);
        for (const step of stepsOf(ids, rowCounts))
          total += await removal.removeInactive(db, { ids: step, now, before });
        return ids.length;
      });
      await inBoundedSteps(devicesPerBatch, (limit) => deleteEndedTombstones(db, { now, limit }));
      if (total > 0) logger.info({ devices: total }, "removed inactive devices");
      return total;
    },
  };
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
