import { constant, type ValuesOf } from "../platform/config/setting.js";

/** Metrics. */
export const metricsConstants = {
  metricsSnapshotSeconds: constant("Interval at which devices and queues are counted", 60),
  metricsFlushSeconds: constant("Interval at which counters are written to the database", 10),
};

export type MetricsSettings = ValuesOf<typeof metricsConstants>;
