import { type Db, rows } from "../platform/database/connection.js";

/** What a node last read of itself. */
export interface NodeReading {
  nodeId: string;
  /** Unix seconds. */
  startedAt: number;
  readAt: number;
  version: string;
  /** Values by the names of gauges and signs. */
  figures: Readonly<Record<string, number>>;
}

/** Puts a node's reading in the place of the one before. */
export async function putReading(db: Db, reading: NodeReading): Promise<void> {
  await rows(
    db,
    `insert into node_readings (node_id, started_at, read_at, version, figures)
     values (:nodeId, :startedAt::bigint, :readAt::bigint, :version, :figures::jsonb)
     on conflict (node_id) do update
     set read_at = excluded.read_at, version = excluded.version, figures = excluded.figures`,
    { ...reading, figures: JSON.stringify(reading.figures) },
  );
}

/** The last reading of every node, of those that have gone as well. */
export async function readReadings(db: Db): Promise<NodeReading[]> {
  return rows<NodeReading>(
    db,
    `select node_id as "nodeId", started_at as "startedAt", read_at as "readAt", version, figures
     from node_readings
     order by started_at, node_id`,
  );
}

export async function deleteReading(db: Db, nodeId: string): Promise<void> {
  await rows(db, "delete from node_readings where node_id = :nodeId", { nodeId });
}

/** Forgets readings older than a time. */
export async function deleteReadingsBefore(db: Db, before: number): Promise<void> {
  await rows(db, "delete from node_readings where read_at < :before::bigint", { before });
}
