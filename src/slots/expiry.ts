import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Transaction } from "../database/db.js";
import { discharge, findExpiredContent, forgetSlots, removeContent } from "./store.js";

/** Removes content that has expired, and slots that may be forgotten. */
export async function removeExpiredSlots(db: Database, { now, stepRows }: { now: number; stepRows: number }) {
  await inBoundedSteps(stepRows, (limit) => db.transaction((trx) => removeExpiredContent(trx, { now, limit })));
  await inBoundedSteps(stepRows, (limit) => forgetSlots(db, { now, limit }));
}

/** Gives back the space that the removed content took. Returns how many slots it found. */
async function removeExpiredContent(trx: Transaction, range: { now: number; limit: number }): Promise<number> {
  const expired = await findExpiredContent(trx, range);
  const slots = expired.map(({ slot }) => slot);
  const removed = new Set((await removeContent(trx, slots)).map((slot) => slot.toString("hex")));
  const bytes = expired
    .filter(({ slot }) => removed.has(slot.toString("hex")))
    .reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > 0) await discharge(trx, bytes);
  return expired.length;
}
