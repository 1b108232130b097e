import { setTimeout as wait } from "node:timers/promises";
import { readKeyIds } from "../auth/signing-keys-store.js";
import type { Reader } from "../database/db.js";
import { ConfigError } from "../platform/config/variables.js";
import type { Logger } from "../platform/logger.js";
import { RelayError } from "../protocol/errors.js";

/** A replica that lags may have neither the tables nor the keys yet. */
const tries = 10;
const betweenMillis = 500;

/**
 * Throws if READ_DATABASE_URL names the database of another relay, or of something else, whose numbers would be shown as this relay's.
 * A replica that does not answer is tolerated, as later on.
 */
export async function refuseOtherReplica(replica: Reader, db: Reader, logger: Logger): Promise<void> {
  const own = new Set(await readKeyIds(db));
  for (let tried = 1; ; tried++) {
    const fits = await readKeyIds(replica).then(
      (ids) => ids.length === 0 || ids.some((id) => own.has(id)),
      (error: unknown) => {
        if (!(error instanceof RelayError)) return false;
        logger.warn({ err: error }, "the read replica does not answer");
        return true;
      },
    );
    if (fits) return;
    if (tried === tries)
      throw new ConfigError(["READ_DATABASE_URL names no replica of the database that DATABASE_URL names"]);
    await wait(betweenMillis);
  }
}
