import { performance } from "node:perf_hooks";
import type pg from "pg";
import { readOnlyState, sqlStateOf } from "../errors.js";

// After a failover the database's name or proxy leads new connections to the new primary, while those that were opened a moment
// too early stay with the old one, which is a standby now and answers every read.

/** No connection is given up sooner, so that a database that takes no writes at all is not flooded with logins. */
const keptMillis = 1_000;

const openedAt = new WeakMap<pg.Client, number>();

export function noteOpened(connection: pg.Client): void {
  openedAt.set(connection, performance.now());
}

/** Whether a statement failed because the server takes no writes, and a new connection may lead to one that does. */
export function isAtReadOnlyServer(connection: pg.Client, error: unknown): boolean {
  if (sqlStateOf(error) !== readOnlyState) return false;
  return performance.now() - (openedAt.get(connection) ?? Number.NEGATIVE_INFINITY) >= keptMillis;
}
