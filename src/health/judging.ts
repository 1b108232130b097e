import type { components } from "../../generated/openapi-types.js";
import type { CensusTaken, NodeReading } from "../metrics/service.js";
import type { Config } from "../platform/config.js";
import type { WaitingServer } from "./read-model.js";
import { type WriteTrouble, writeTroubleText } from "./write-watch.js";

type Schemas = components["schemas"];
export type HealthStatus = Schemas["HealthStatus"];
export type Components = Schemas["HealthComponents"];

export type JudgingLimits = Pick<
  Config,
  "alertDatabaseMillis" | "alertOutboxSeconds" | "streamsPerNode" | "healthTimeoutMillis"
>;

/** What the parts are judged by while the database answers. */
export interface Observed {
  now: number;
  databaseMillis: number;
  /** Why the database takes no writes; null while it does. */
  writeTrouble: WriteTrouble | null;
  queueMillis: number;
  census: CensusTaken;
  /** How long ago the message that should have expired first was to. */
  overdueSeconds: number;
  refusedLately: number;
  federationEnabled: boolean;
  waitingServers: readonly WaitingServer[];
  readings: readonly NodeReading[];
}

/** Expiry runs every minute or so; messages that outlive their time by this long tell that it does not keep up. */
const overdueAfterSeconds = 600;
/** Streams are scarce above this part of what a node takes. */
const streamsScarceShare = 0.9;
/** One server that cannot be reached is its own trouble; if all of several cannot, it is ours. */
const unreachableTogether = 3;

/** The state of every part; docs/monitoring.md gives the rules. */
export function judgeComponents(observed: Observed, limits: JudgingLimits): Components {
  return {
    database: judgeDatabase(observed, limits),
    message_queue: judgeQueue(observed),
    federation: judgeFederation(observed, limits),
    websocket: judgeStreams(observed.readings, limits),
  };
}

function judgeDatabase(observed: Observed, limits: JudgingLimits): Components["database"] {
  const { databaseMillis, writeTrouble, census } = observed;
  const isSlow = databaseMillis > limits.alertDatabaseMillis;
  return {
    status: writeTrouble !== null ? "unhealthy" : isSlow ? "degraded" : "healthy",
    latency_ms: tenths(databaseMillis),
    details: { size_bytes: census.levels.storage_bytes, slow_above_ms: limits.alertDatabaseMillis },
    ...(writeTrouble !== null && { error: writeTroubleText[writeTrouble.reason] }),
  };
}

function judgeQueue(observed: Observed): Components["message_queue"] {
  const { census, overdueSeconds, refusedLately } = observed;
  const isLate = overdueSeconds > overdueAfterSeconds;
  return {
    status: isLate || refusedLately > 0 ? "degraded" : "healthy",
    queue_size: census.levels.queued_messages,
    latency_ms: tenths(observed.queueMillis),
    details: {
      queued_bytes: census.levels.queued_bytes,
      overdue_seconds: overdueSeconds,
      refused_last_5m: refusedLately,
    },
  };
}

function judgeFederation(observed: Observed, limits: JudgingLimits): Components["federation"] {
  const { waitingServers, now, census } = observed;
  const waits = waitingServers.map(({ oldestAt }) => now - oldestAt);
  const stuck = waits.filter((seconds) => seconds >= limits.alertOutboxSeconds).length;
  const allStuck = stuck >= unreachableTogether && stuck === waits.length;
  const status = allStuck ? "unhealthy" : stuck > 0 ? "degraded" : "healthy";
  return {
    status,
    queue_size: census.levels.outbox_messages,
    details: {
      enabled: observed.federationEnabled,
      active_peers: census.levels.federation_peers,
      blocked_peers: census.levels.blocked_servers,
      oldest_waiting_seconds: Math.max(0, ...waits),
      servers_waiting: waits.length,
      servers_stuck: stuck,
    },
    ...(allStuck && { error: "None of the servers that messages wait for can be reached." }),
  };
}

function judgeStreams(readings: readonly NodeReading[], limits: JudgingLimits): Components["websocket"] {
  const counts = readings.map(({ figures }) => figures["websocket_connections"] ?? 0);
  const most = Math.max(0, ...counts);
  const isFull = most >= limits.streamsPerNode;
  const isScarce = most >= limits.streamsPerNode * streamsScarceShare;
  return {
    status: isFull ? "unhealthy" : isScarce ? "degraded" : "healthy",
    active_connections: counts.reduce((sum, count) => sum + count, 0),
    details: { nodes: readings.length, limit_per_node: limits.streamsPerNode, most_on_one_node: most },
    ...(isFull && { error: "A node takes no more streams." }),
  };
}

/** What can be said without the database. */
export function judgeWithoutDatabase(
  own: { streams: number; federationEnabled: boolean },
  limits: JudgingLimits,
): Components {
  const reading = { figures: { websocket_connections: own.streams } } as unknown as NodeReading;
  return {
    database: {
      ...{ status: "unhealthy", latency_ms: null, details: { slow_above_ms: limits.alertDatabaseMillis } },
      error: `The database did not answer within ${limits.healthTimeoutMillis} ms.`,
    },
    message_queue: {
      ...{ status: "unhealthy", queue_size: null, latency_ms: null, details: {} },
      error: "Messages can be neither taken nor handed out while the database does not answer.",
    },
    federation: {
      ...{ status: own.federationEnabled ? "degraded" : "healthy", queue_size: null },
      details: { enabled: own.federationEnabled },
    },
    websocket: judgeStreams([reading], limits),
  };
}

/** The whole is unhealthy where messages cannot flow, and degraded where any part is not as it should be. */
export function judgeWhole({ database, message_queue, federation, websocket }: Components): HealthStatus {
  if (database.status === "unhealthy" || message_queue.status === "unhealthy") return "unhealthy";
  const parts = [database, message_queue, federation, websocket];
  return parts.every(({ status }) => status === "healthy") ? "healthy" : "degraded";
}

/** A sentence for each part that is not healthy. */
export function warningsOf(components: Components): string[] {
  const names = { database: "database", message_queue: "message queue", federation: "federation", websocket: "stream" };
  return Object.entries(names).flatMap(([key, name]) => {
    const { status, error } = components[key as keyof Components];
    return status === "healthy" ? [] : [error ?? `The ${name} is ${status}.`];
  });
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
