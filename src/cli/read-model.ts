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

/** Nodes to which an untrusted proxy has been sending requests, according to their last readings. */
export async function readNodesBehindUntrustedProxies(db: Db): Promise<string[]> {
  const found = await db.rows<{ nodeId: string }>(
    `select r.node_id as "nodeId"
     from node_readings r join nodes n on n.node_id = r.node_id
     where n.heartbeat_at > now() - interval '1 minute'
       and coalesce((r.figures ->> 'untrusted_proxy_at')::double precision, 0) > 0
     order by r.node_id`,
  );
  return found.map(({ nodeId }) => nodeId);
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
     where n.heartbeat_at > now() - interval '1 minute'
     order by n.started_at, n.node_id`,
  );
}
