import type { Database } from "../../../database/connection.js";
import { foldSent } from "./sending-windows-store.js";

const foldedAtOnce = 1_000;

/** Adds the messages that devices sent since the last time to their totals, for all devices together. */
export async function foldTotals(db: Database): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    after = await foldSent(db, { after, limit: foldedAtOnce });
  }
}
