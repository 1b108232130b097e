import type { Nodes } from "../node/nodes.js";
import type { Schedule } from "../node/schedule.js";
import type { ErrorId } from "../protocol/errors.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { MetricsSettings } from "./config.js";
import { createMetricsExport, type MetricsExport } from "./export.js";
import { createFigures, type Figures } from "./figures.js";
import { createOverview, type Overview } from "./overview.js";
import { createRecorder, type Recorder, type RecorderDeps } from "./recorder.js";
import { fineSeconds, keptSeconds } from "./resolutions.js";
import { createServerReadings, type ServerReadingSources } from "./server-readings.js";
import { createSnapshot, type Snapshot, type SnapshotDeps } from "./snapshot.js";
import { deleteBefore, deleteReadingsBefore } from "./store.js";

export type { DataPoint, Figures, Latency } from "./figures.js";
export { createMetricsListener, type MetricsListener } from "./listener.js";
export type { CounterName, GaugeName, HistogramName, LevelName, SeriesName, SignName } from "./names.js";
export type { Labelled } from "./server-readings.js";
export type { Snapshot, SnapshotTaken } from "./snapshot.js";
export type { NodeReading } from "./store.js";

/** The server's metrics: this node counts, and the counts of all nodes are read. */
export interface MetricsService extends Recorder, Figures, Pick<ServerReadingSources, "provide"> {
  /** How many of each kind of thing the server holds. */
  snapshot: Snapshot;
  /** The figures shown to people: they may come from a read replica and be older. */
  shown: Figures;
  overview: Overview;
  export: MetricsExport;
  /** Deletes what is too old to be queried. */
  removeOld(): Promise<void>;
}

type MetricsDeps = RecorderDeps & SnapshotDeps & { nodes: Pick<Nodes, "nodeId" | "isAlive"> };

export function createMetricsService(deps: MetricsDeps): MetricsService {
  const { db, reader, clock } = deps;
  const figures = createFigures(deps);
  const shown = createFigures({ ...deps, db: reader });
  const snapshot = createSnapshot(deps);
  const recorder = createRecorder(deps);
  const serverReadings = createServerReadings();
  return {
    provide: serverReadings.provide,
    ...recorder,
    ...figures,
    snapshot,
    shown,
    overview: createOverview({ clock, figures: shown, snapshot }),
    export: createMetricsExport({
      reader,
      clock,
      figures: shown,
      snapshot,
      flush: recorder.flushQuietly,
      readServer: serverReadings.readAll,
      own: () => ({ nodeId: deps.nodes.nodeId, figures: recorder.own() }),
    }),
    async removeOld() {
      const now = clock.nowSeconds();
      for (const resolution of [fineSeconds, hourSeconds]) {
        await deleteBefore(db, { resolution, before: now - keptSeconds });
      }
      await deleteReadingsBefore(db, now - daySeconds);
    },
  };
}

const removeEverySeconds = hourSeconds;

/** Scheduled jobs: counting devices and queues, and removing metrics that are too old to be queried. */
export function scheduleMetricsJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  service: { snapshot: Pick<Snapshot, "takeDue">; removeOld(): Promise<void> },
  config: Pick<MetricsSettings, "metricsSnapshotSeconds">,
): void {
  schedule.every("metrics.snapshot", config.metricsSnapshotSeconds, () => service.snapshot.takeDue());
  schedule.cleanUpEvery("metrics.remove-old", removeEverySeconds, () => service.removeOld());
}

const tooManyRequests = 429;
const firstServerError = 500;
/** Ingest counts a refused single message, as it does for the messages of batches. */
const countedElsewhere = "sendMessage";

/** Counts a response. */
export function countAnswer(
  metrics: Pick<Recorder, "count" | "observe">,
  answered: { operation: string | null; status: number; error: ErrorId | null; milliseconds: number },
): void {
  const { operation, status, error } = answered;
  metrics.count("requests");
  metrics.observe("request_duration", answered.milliseconds);
  if (status >= firstServerError) metrics.count("requests_failed");
  if (status === tooManyRequests && operation !== countedElsewhere) metrics.count("requests_rate_limited");
  if (error === "OVERLOADED") metrics.count("requests_overloaded");
}
