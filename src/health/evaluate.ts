import type { components } from "../../generated/openapi-types.js";
import type { NodeReading, SnapshotTaken } from "../metrics/service.js";
import type { HealthSettings } from "./config.js";
import type { WaitingServer } from "./read-model.js";
import { type WriteTrouble, writeTroubleText } from "./write-watch.js";

type Schemas = components["schemas"];
export type HealthStatus = Schemas["HealthStatus"];
export type Components = Schemas["HealthComponents"];

export type EvaluationConfig = HealthSettings & { readonly streamsPerNode: number };

/** The facts by which the components are evaluated while the database answers. */
export interface Observed {
  now: number;
  databaseMillis: number;
  /** The reason why the database accepts no writes; null while it does. */
  writeTrouble: WriteTrouble | null;
  queueMillis: number;
  snapshot: SnapshotTaken;
  /** How long ago the first message should have expired. */
  overdueSeconds: number;
  refusedLately: number;
  federationEnabled: boolean;
  waitingServers: readonly WaitingServer[];
  readings: readonly NodeReading[];
}

/** Expiry runs every minute or so; messages that outlive their expiry by this long show that it does not keep up. */
const overdueAfterSeconds = 600;
/** Streams are scarce above this fraction of a node's limit. */
const streamsScarceShare = 0.9;
/** If one server cannot be reached, the trouble is there; if none of several can, it is here. */
const unreachableTogether = 3;

/** The state of every component; docs/how-to/monitoring.md gives the rules. */
export function evaluateComponents(observed: Observed, config: EvaluationConfig): Components {
  return {
    database: evaluateDatabase(observed, config),
    message_queue: evaluateQueue(observed),
    federation: evaluateFederation(observed, config),
    websocket: evaluateStreams(observed.readings, config),
  };
}

function evaluateDatabase(observed: Observed, config: EvaluationConfig): Components["database"] {
  const { databaseMillis, writeTrouble, snapshot } = observed;
  const isSlow = databaseMillis > config.alertDatabaseMillis;
  return {
    status: writeTrouble !== null ? "unhealthy" : isSlow ? "degraded" : "healthy",
    latency_ms: tenths(databaseMillis),
    details: { size_bytes: snapshot.levels.storage_bytes, slow_above_ms: config.alertDatabaseMillis },
    ...(writeTrouble !== null && { error: writeTroubleText[writeTrouble.reason] }),
  };
}

function evaluateQueue(observed: Observed): Components["message_queue"] {
  const { snapshot, overdueSeconds, refusedLately } = observed;
  const isLate = overdueSeconds > overdueAfterSeconds;
  return {
    status: isLate || refusedLately > 0 ? "degraded" : "healthy",
    queue_size: snapshot.levels.queued_messages,
    latency_ms: tenths(observed.queueMillis),
    details: {
      queued_bytes: snapshot.levels.queued_bytes,
      overdue_seconds: overdueSeconds,
      refused_last_5m: refusedLately,
    },
  };
}

function evaluateFederation(observed: Observed, config: EvaluationConfig): Components["federation"] {
  const { waitingServers, now, snapshot } = observed;
  const waits = waitingServers.map(({ oldestAt }) => now - oldestAt);
  const stuck = waits.filter((seconds) => seconds >= config.alertOutboxSeconds).length;
  const allStuck = stuck >= unreachableTogether && stuck === waits.length;
  const status = allStuck ? "unhealthy" : stuck > 0 ? "degraded" : "healthy";
  return {
    status,
    queue_size: snapshot.levels.outbox_messages,
    details: {
      enabled: observed.federationEnabled,
      active_peers: snapshot.levels.federation_peers,
      blocked_peers: snapshot.levels.blocked_servers,
      oldest_waiting_seconds: Math.max(0, ...waits),
      servers_waiting: waits.length,
      servers_stuck: stuck,
    },
    ...(allStuck && { error: "None of the servers that messages wait for can be reached." }),
  };
}

function evaluateStreams(readings: readonly NodeReading[], config: EvaluationConfig): Components["websocket"] {
  const counts = readings.map(({ figures }) => figures["websocket_connections"] ?? 0);
  const max = Math.max(0, ...counts);
  const isFull = max >= config.streamsPerNode;
  const isScarce = max >= config.streamsPerNode * streamsScarceShare;
  return {
    status: isFull ? "unhealthy" : isScarce ? "degraded" : "healthy",
    active_connections: counts.reduce((sum, count) => sum + count, 0),
    details: { nodes: readings.length, limit_per_node: config.streamsPerNode, most_on_one_node: max },
    ...(isFull && { error: "A node takes no more streams." }),
  };
}

/** The state as far as it is known without the database. */
export function evaluateWithoutDatabase(
  own: { streams: number; federationEnabled: boolean },
  config: EvaluationConfig,
): Components {
  const reading = { figures: { websocket_connections: own.streams } } as unknown as NodeReading;
  return {
    database: {
      status: "unhealthy",
      latency_ms: null,
      details: { slow_above_ms: config.alertDatabaseMillis },
      error: `The database did not answer within ${config.healthTimeoutMillis} ms.`,
    },
    message_queue: {
      status: "unhealthy",
      queue_size: null,
      latency_ms: null,
      details: {},
      error: "Messages can be neither taken nor handed out while the database does not answer.",
    },
    federation: {
      status: own.federationEnabled ? "degraded" : "healthy",
      queue_size: null,
      details: { enabled: own.federationEnabled },
    },
    websocket: evaluateStreams([reading], config),
  };
}

/** The whole is unhealthy if messages cannot flow, and degraded if any component is not healthy. */
export function overallStatus({ database, message_queue, federation, websocket }: Components): HealthStatus {
  if (database.status === "unhealthy" || message_queue.status === "unhealthy") return "unhealthy";
  const parts = [database, message_queue, federation, websocket];
  return parts.every(({ status }) => status === "healthy") ? "healthy" : "degraded";
}

/** A sentence for each component that is not healthy. */
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
