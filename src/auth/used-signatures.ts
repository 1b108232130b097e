import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { AuthSettings } from "./config.js";
import { keyedHash } from "./keyed-hash.js";
import type { Secrets } from "./secrets.js";

/** A signed text with its timestamp in Unix seconds. The signature itself has been verified. */
interface SignedText {
  text: string;
  timestamp: number;
}

/** The signed requests that were accepted on all nodes, so that an eavesdropper gains nothing by replaying one. */
export type UsedSignatures = ReturnType<typeof createUsedSignatures>;

const secretName = "used-signatures";
const rowsPerStep = 1000;
/** Clocks of nodes differ a little; a row is removed only when every node would refuse the text for its age. */
const marginSeconds = 60;

/** Stores a keyed hash of each text until its timestamp has left the window in which it is accepted. */
export function createUsedSignatures(deps: {
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  config: Pick<AuthSettings, "timestampWindowPastSeconds">;
}) {
  const { clock, secrets, config } = deps;
  return {
    /** Reads the hashes' key, so that no transaction waits for another connection to read it. */
    async prepare(): Promise<void> {
      await secrets.get(secretName);
    },
    /**
     * Marks a signed text as used, in the caller's transaction; returns false if it was used before. If two do so at the same
     * time, the second waits for the first one's transaction and succeeds if that is rolled back.
     */
    async use(db: Db, { text, timestamp }: SignedText): Promise<boolean> {
      const hash = keyedHash(await secrets.get(secretName), text);
      const expiresAt = timestamp + config.timestampWindowPastSeconds + marginSeconds;
      return insertHash(db, { hash, expiresAt });
    },
    async removeExpired(db: Db): Promise<void> {
      const now = clock.nowSeconds();
      await inBoundedSteps(rowsPerStep, (limit) => deleteExpired(db, { now, limit }));
    },
  };
}

async function insertHash(db: Db, used: { hash: Buffer; expiresAt: number }): Promise<boolean> {
  const sql = `
    insert into used_signatures (hash, expires_at)
    values (:hash::bytea, :expiresAt::bigint)
    on conflict (hash) do nothing
    returning 1`;
  return (await db.rows(sql, used)).length > 0;
}

async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<number> {
  const sql = `
    delete from used_signatures
    where hash = any(array(
      select hash from used_signatures
      where expires_at <= :now::bigint order by expires_at limit :limit::integer
    ))
    returning 1`;
  return (await db.rows(sql, range)).length;
}
