import type { Db } from "../../database/db.js";

// Transactions lock rows of several devices in the order of the devices' ids, so that they wait for each other in one
// direction only and never deadlock.

/** Compares by device id, and by position within a device. */
export function byDevice(
  a: { deviceId: string; position?: number },
  b: { deviceId: string; position?: number },
): number {
  if (a.deviceId !== b.deviceId) return a.deviceId < b.deviceId ? -1 : 1;
  return (a.position ?? 0) - (b.position ?? 0);
}

/**
 * Makes the later statements of this transaction process their arrays in order and find each row by its key, whatever
 * the planner assumes about the tables' sizes: the order of locking depends on it.
 */
export async function keepArrayOrder(trx: Db): Promise<void> {
  await trx.run(
    `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
            set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
            ${trx.placement.transactionSettings}`,
  );
}
