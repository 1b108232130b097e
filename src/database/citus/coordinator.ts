import type { Database } from "../db.js";

/**
 * The URL of the coordinator of a distributed database, by a connection to any of its machines; the given URL if that
 * is the coordinator or the database is not distributed. Only the coordinator has tables that are not distributed,
 * notifications and advisory locks. Throws if a worker does not know its coordinator.
 */
export async function findCoordinator(db: Database, url: string): Promise<string> {
  const extension = await db.one("select 1 from pg_extension where extname = 'citus'");
  if (extension === undefined) return url;
  const found = await db.one<{ isWorker: boolean; host: string | null; port: number }>(
    `select local.groupid <> 0 as "isWorker", n.nodename as host, n.nodeport as port
     from pg_dist_local_group as local
     left join pg_dist_node as n on n.groupid = 0`,
  );
  if (found?.isWorker !== true) return url;
  if (found.host !== null) return at(url, { host: found.host, port: found.port });
  throw new Error(
    "DATABASE_URL leads to a worker of Citus that does not know its coordinator: run citus_set_coordinator_host on the " +
      "coordinator, or let DATABASE_URL name that one",
  );
}

/** Throws if a node would enter at a worker: the statements of nodes that enter Citus at different machines deadlock each other. */
export function refuseWorker({ databaseUrl, entryUrl }: { databaseUrl: string; entryUrl: string }): void {
  if (entryUrl === databaseUrl) return;
  throw new Error(
    "DATABASE_URL leads to a worker of Citus, and nodes at different machines deadlock each other: let DATABASE_URL of every " +
      `node name the coordinator, ${new URL(databaseUrl).host} (docs/how-to/distributed.md)`,
  );
}

/** The same database and user on another machine. */
function at(url: string, { host, port }: { host: string; port: number }): string {
  const moved = new URL(url);
  moved.hostname = host.includes(":") ? `[${host}]` : host;
  moved.port = String(port);
  return moved.href;
}
