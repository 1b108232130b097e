import type { Clock } from "../node/clock.js";
import { softwareVersion } from "../platform/software-version.js";
import { daySeconds } from "../protocol/units.js";
import type { Figures, Latency } from "./figures.js";
import type { CounterName, GaugeName } from "./names.js";
import type { Snapshot, SnapshotTaken } from "./snapshot.js";
import type { NodeReading } from "./store.js";

/** The state of the server (specification, "Admin configuration, metrics, audit, health"). */
export interface OverviewRead {
  now: number;
  snapshot: SnapshotTaken;
  server: ServerRead;
  /** Counters over the last 24 hours. */
  day: Readonly<Record<(typeof dayCounters)[number], number>>;
  /** Over the requested period; null if nothing was measured. */
  averageBytes: number | null;
  latency: Latency | null;
  pushLatency: Latency | null;
  openStreams: number;
}

interface ServerRead {
  softwareVersion: string;
  nodes: number;
  uptimeSeconds: number;
  cpuPercent: number;
  memoryBytes: number;
}

export type Overview = ReturnType<typeof createOverview>;

const dayCounters = [
  "messages_sent",
  "messages_received",
  "messages_expired",
  "messages_rate_limited",
  "spam_reports",
  "devices_auto_blocked",
  "requests_rate_limited",
  "federated_messages_sent",
  "federated_messages_received",
  "federated_deliveries_failed",
  "federated_messages_expired",
  "pushes_accepted",
  "pushes_failed",
  "push_subscriptions_gone",
  "push_wake_ups_answered",
] as const satisfies readonly CounterName[];

export function createOverview(deps: { clock: Clock; figures: Figures; snapshot: Pick<Snapshot, "current"> }) {
  const { clock, figures } = deps;
  return {
    /** Latency and sizes cover this many seconds. */
    async read(periodSeconds: number): Promise<OverviewRead> {
      const now = clock.nowSeconds();
      const since = now - periodSeconds;
      const [snapshot, readings, day, sizes, latency, pushLatency] = await Promise.all([
        deps.snapshot.current(),
        figures.readings(),
        figures.sums(dayCounters, now - daySeconds),
        figures.sums(["messages_received", "messages_bytes"], since),
        figures.latency("delivery_latency", since),
        figures.latency("push_latency", since),
      ]);
      return {
        now: clock.nowSeconds(),
        snapshot,
        day,
        latency,
        pushLatency,
        server: serverRead(readings, now),
        averageBytes: sizes.messages_received === 0 ? null : sizes.messages_bytes / sizes.messages_received,
        openStreams: addUp(readings, "websocket_connections"),
      };
    },
  };
}

function serverRead(readings: readonly NodeReading[], now: number): ServerRead {
  const nodes = readings.length;
  return {
    softwareVersion,
    nodes,
    uptimeSeconds: Math.max(0, ...readings.map(({ startedAt }) => now - startedAt)),
    cpuPercent: nodes === 0 ? 0 : addUp(readings, "cpu_usage_percent") / nodes,
    memoryBytes: addUp(readings, "memory_bytes"),
  };
}

function addUp(readings: readonly NodeReading[], name: GaugeName): number {
  return readings.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0);
}
