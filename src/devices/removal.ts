import type { Knex } from "knex";
import { type Db, inTransaction } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import type { SettingsService } from "../settings/service.js";
import { deleteAddresses } from "./address-store.js";
import { deleteEndedMarks } from "./mark-store.js";
import type { Marks } from "./marks.js";
import { deleteInactive, findInactive } from "./removal-store.js";

/** Removes what a room keeps of devices, in the transaction that removes them. */
export type ForgetDevices = (db: Db, ids: readonly string[]) => Promise<void>;

const daySeconds = 86_400;
const devicesPerStep = 200;

/**
 * Removes devices that have been inactive for longer than `storage.metadata_retention_days`, in steps of bounded size,
 * each a transaction of its own: a device goes with everything that any room keeps of it, or stays.
 */
export function createRemoval(needs: {
  settings: Pick<SettingsService, "current">;
  marks: Marks;
  forget: ForgetDevices;
  logger: Logger;
}): { run(db: Knex, now: number): Promise<number> } {
  const removeStep = async (db: Knex, range: { now: number; before: number }): Promise<number[]> => {
    const ids = await findInactive(db, { before: range.before, limit: devicesPerStep });
    if (ids.length === 0) return [0, 0];
    const removed = await inTransaction(db, async (transaction) => {
      const gone = await deleteInactive(transaction, { ids, before: range.before });
      const goneIds = gone.map((device) => device.deviceId);
      await needs.marks.keep(transaction, gone, range.now);
      await deleteAddresses(transaction, goneIds);
      await needs.forget(transaction, goneIds);
      return gone.length;
    });
    return [ids.length, removed];
  };

  return {
    async run(db, now) {
      const before = now - needs.settings.current().storage.metadata_retention_days * daySeconds;
      let total = 0;
      for (let found = devicesPerStep; found === devicesPerStep; ) {
        const [seen = 0, removed = 0] = await removeStep(db, { now, before });
        found = seen;
        total += removed;
      }
      await deleteEndedMarks(db, now);
      if (total > 0) needs.logger.info({ devices: total }, "inactive devices were removed");
      return total;
    },
  };
}
