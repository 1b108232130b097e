import type { Knex } from "knex";
import type { Logger } from "../platform/logger.js";
import { rows, type Statements } from "./connection.js";

/**
 * After a failure the replica is not used for this long, because an unreachable replica would delay every statement.
 */
const restMillis = 10_000;

/**
 * Statements that only read, sent to a replica of the database (READ_DATABASE_URL). A replica lags behind, is
 * restarted, or cancels a statement in favour of replication (PostgreSQL, "Handling Query Conflicts"), so statements
 * that fail there are sent to the database itself.
 */
export function createReadReplica(deps: { replica: Knex; db: Knex; logger: Logger }): Statements {
  const { replica, db, logger } = deps;
  let restUntil = 0;
  return {
    async ask<T>(sql: string, bindings: Parameters<typeof rows>[2] = {}) {
      if (performance.now() < restUntil) return rows<T>(db, sql, bindings);
      try {
        return await rows<T>(replica, sql, bindings);
      } catch (error) {
        restUntil = performance.now() + restMillis;
        logger.warn({ err: error }, "the read replica failed; reading from the database itself");
        return rows<T>(db, sql, bindings);
      }
    },
  };
}
