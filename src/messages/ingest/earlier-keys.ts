import { type Db, rows } from "../../platform/database/connection.js";
import { daySeconds } from "../../protocol/units.js";

/**
 * What is done about the earlier form of the hashes that messages are recognised by: nothing, in a database that never
 * held any; looked for, for as long as there may be some; also stored, while nodes of the version before may still run.
 */
export type EarlierKeys = "none" | "found" | "stored";

/** Tells it for a moment. */
export type EarlierKeysAt = (now: number) => EarlierKeys;

/** Reads what the upgrade of this database left to do. */
export async function readEarlierKeys(db: Db): Promise<EarlierKeysAt> {
  const [row] = await rows<{ written_until: number; kept_until: number }>(
    db,
    "select written_until, kept_until from earlier_keys",
  );
  return (now) => {
    const today = Math.floor(now / daySeconds);
    if (row === undefined || today > row.kept_until) return "none";
    return today > row.written_until ? "found" : "stored";
  };
}
