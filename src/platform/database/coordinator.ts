import type { Knex } from "knex";
import { rows } from "./connection.js";

/**
 * The URL of the coordinator of a distributed database, by a connection to any of its machines; the URL itself where that
 * is the coordinator, or the database is not distributed. Tables that are not distributed are on the coordinator alone,
 * and so are notifications and advisory locks.
 */
export async function findCoordinator(db: Knex, url: string): Promise<string> {
  const [extension] = await rows(db, "select 1 from pg_extension where extname = 'citus'");
  if (extension === undefined) return url;
  const [coordinator] = await rows<{ host: string; port: number }>(
    db,
    `select nodename as host, nodeport as port from pg_dist_node
     where groupid = 0 and groupid <> (select groupid from pg_dist_local_group)`,
  );
  return coordinator === undefined ? url : at(url, coordinator);
}

/** The same database and user on another machine. */
function at(url: string, { host, port }: { host: string; port: number }): string {
  const moved = new URL(url);
  moved.hostname = host.includes(":") ? `[${host}]` : host;
  moved.port = String(port);
  return moved.href;
}
