import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Transaction } from "../database/db.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import type { SlotSettings } from "./config.js";
import { discharge, findExpiredContent, forgetSlots, removeContent } from "./store.js";

interface KeepingDeps {
  settings: Pick<SettingsService, "current">;
  config: Pick<SlotSettings, "slotRetentionDays" | "slotMemoryDays">;
}

/** How long content is kept. Members who return after as long as a message waits for them must find it. */
export function retentionDaysOf({ settings, config }: KeepingDeps): number {
  return Math.max(config.slotRetentionDays, settings.current().server.max_retention_days);
}

export function retentionSecondsOf(deps: KeepingDeps): number {
  return retentionDaysOf(deps) * daySeconds;
}

/** How long it is remembered that a slot was taken, and with which content. */
export function memoryDaysOf(deps: KeepingDeps): number {
  return Math.max(deps.config.slotMemoryDays, retentionDaysOf(deps));
}

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
