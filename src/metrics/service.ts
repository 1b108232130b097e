import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import type { Nodes } from "../platform/nodes.js";
import type { CounterName, GaugeName, HistogramName } from "./names.js";

export type { CounterName, GaugeName, HistogramName, MetricName } from "./names.js";

/** Counting costs no round trip: it happens in memory and is written every 10 seconds. */
export interface MetricsService {
  start(): Promise<void>;
  /** Writes what was counted since the last time. */
  stop(): Promise<void>;
  count(name: CounterName, by?: number): void;
  observe(name: HistogramName, milliseconds: number): void;
  /** Has a value of this node read at every writing. */
  gauge(name: GaugeName, read: () => number): void;
}

export interface MetricsNeeds {
  db: Knex;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId">;
  logger: Logger;
}
