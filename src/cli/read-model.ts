import type { Db } from "../database/db.js";

// Queries of `doctor` and `status` about the database server and the running nodes.

const settingsAsked = ["server_version_num", "fsync", "full_page_writes", "synchronous_commit", "autovacuum"];

export async function readServerSettings(db: Db): Promise<ReadonlyMap<string, string>> {
  const found = await db.rows<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any(:names::text[])",
    { names: settingsAsked },
  );
  return new Map(found.map(({ name, setting }) => [name, setting]));
}

export async function readConnections(db: Db): Promise<{ max: number; used: number }> {
  const found = await db.one<{ max: number; used: number }>(
    `select current_setting('max_connections')::bigint as max,
            (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  return found ?? { max: 0, used: 0 };
}

/** What hides the clients behind a proxy, by the name of the sign in readings. */
export type ProxyFault = "untrusted_proxy_at" | "unreadable_proxy_at";

/** Running nodes that have seen the fault, according to their last readings. */
export async function readNodesWithProxyFault(db: Db, fault: ProxyFault): Promise<string[]> {
  const found = await db.rows<{ nodeId: string }>(
    `select r.node_id as "nodeId"
     from node_readings r join nodes n on n.node_id = r.node_id
     where abs(extract(epoch from now() - n.heartbeat_at)) < 60
       and coalesce((r.figures ->> :fault::text)::double precision, 0) > 0
     order by r.node_id`,
    { fault },
  );
  return found.map(({ nodeId }) => nodeId);
}

/** Whether the setting `federation.enabled` is on; it has a value once a relay has started. */
export async function readFederationEnabled(db: Db): Promise<boolean> {
  const found = await db.one<{ value: unknown }>("select value from settings where key = 'federation.enabled'");
  return found?.value === true;
}

interface RunningNode {
  nodeId: string;
  startedAt: number;
  version: string;
  streams: number;
}

/** A stopping node deletes its row; a node that dies stops updating it. The database sets the time of each update. */
export async function readNodes(db: Db): Promise<RunningNode[]> {
  return db.rows<RunningNode>(
    `select n.node_id as "nodeId", n.started_at as "startedAt", coalesce(r.version, 'unknown') as version,
            coalesce((r.figures ->> 'websocket_connections')::double precision, 0) as streams
     from nodes n left join node_readings r on r.node_id = n.node_id
     where abs(extract(epoch from now() - n.heartbeat_at)) < 60
     order by n.started_at, n.node_id`,
  );
}
