import { integer, type ValuesOf } from "../platform/config/setting.js";
import { hourSeconds } from "../protocol/units.js";

/** Metrics. */
export const metricsConstants = {
  metricsSnapshotSeconds: integer("Interval at which devices and queues are counted", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  metricsFlushSeconds: integer("Interval at which counters are written to the database", {
    default: 10,
    min: 1,
    max: 600,
  }),
};

export type MetricsSettings = ValuesOf<typeof metricsConstants>;
