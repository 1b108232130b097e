import type { Nodes } from "../platform/cluster/nodes.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { createMetricsExport, type MetricsExport } from "./export.js";
import { createFigures, type Figures } from "./figures.js";
import { createOverview, type Overview } from "./overview.js";
import { deleteReadingsBefore } from "./reading-store.js";
import { createRecorder, type Recorder, type RecorderDeps } from "./recorder.js";
import { fineSeconds, keptSeconds } from "./resolutions.js";
import { type CensusDeps, createSnapshot, type Snapshot } from "./snapshot.js";
import { deleteBefore } from "./store.js";

export { countAnswer } from "./answers.js";
export type { DataPoint, Figures, Latency } from "./figures.js";
export { scheduleMetricsJobs } from "./jobs.js";
export { createMetricsListener, type MetricsListener } from "./listener.js";
export type { CounterName, GaugeName, HistogramName, LevelName, SeriesName, SignName } from "./names.js";
export type { NodeReading } from "./reading-store.js";
export type { Snapshot, SnapshotTaken } from "./snapshot.js";

/** What the server measures of itself: this node counts, all nodes' counts are read. */
export interface MetricsService extends Recorder, Figures {
  /** How many there are of what is kept. */
  snapshot: Snapshot;
  overview: Overview;
  export: MetricsExport;
  /** Forgets what is too old to be asked for. */
  removeOld(): Promise<void>;
}

export type MetricsDeps = RecorderDeps & CensusDeps & { nodes: Pick<Nodes, "nodeId" | "isAlive"> };

export function createMetricsService(deps: MetricsDeps): MetricsService {
  const { db, clock } = deps;
  const figures = createFigures(deps);
  const snapshot = createSnapshot(deps);
  const recorder = createRecorder(deps);
  return {
    ...recorder,
    ...figures,
    snapshot,
    overview: createOverview({ clock, figures, snapshot }),
    export: createMetricsExport({
      ...{ db, clock, figures, snapshot, flush: recorder.flushQuietly },
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
