import type { Database } from "../../../database/db.js";
import { addSentToTotals } from "./sending-windows-store.js";

const maxDevicesAtOnce = 1_000;

/** Adds the messages that devices sent since the last time to their totals, for all devices together. */
export async function updateSentTotals(db: Database): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    after = await addSentToTotals(db, { after, limit: maxDevicesAtOnce });
  }
}
