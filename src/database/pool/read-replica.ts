import type { Logger } from "../../platform/logger.js";
import type { Bindings } from "../bindings.js";
import type { Reader } from "../db.js";

/**
 * After a failure the replica is not used for this long, because an unreachable replica would delay every statement.
 */
const restMillis = 10_000;

/**
 * Statements that only read, sent to a replica of the database (READ_DATABASE_URL). A replica lags behind, is
 * restarted, or cancels a statement in favour of replication (PostgreSQL, "Handling Query Conflicts"), so statements
 * that fail there are sent to the database itself.
 */
export function createReadReplica(deps: { replica: Reader; db: Reader; logger: Logger }): Reader {
  const { replica, db, logger } = deps;
  let restUntil = 0;
  const read = async <T>(ask: (reader: Reader) => Promise<T>): Promise<T> => {
    if (performance.now() < restUntil) return ask(db);
    try {
      return await ask(replica);
    } catch (error) {
      restUntil = performance.now() + restMillis;
      logger.warn({ err: error }, "the read replica failed; reading from the database itself");
      return ask(db);
    }
  };
  return {
    rows: <T>(sql: string, bindings?: Bindings) => read((reader) => reader.rows<T>(sql, bindings)),
    one: <T>(sql: string, bindings?: Bindings) => read((reader) => reader.one<T>(sql, bindings)),
  };
}
