import type { Nodes } from "../platform/nodes.js";
import { type Census, type CensusNeeds, createCensus } from "./census.js";
import { createMetricsExport, type MetricsExport } from "./export.js";
import { createFigures, type Figures } from "./figures.js";
import { createOverview, type Overview } from "./overview.js";
import { deleteReadingsBefore } from "./reading-store.js";
import { createRecorder, type Recorder, type RecorderNeeds } from "./recorder.js";
import { daySeconds, fineSeconds, hourSeconds, keptSeconds } from "./resolutions.js";
import { deleteBefore } from "./store.js";

export { countAnswer } from "./answers.js";
export type { Census, CensusTaken } from "./census.js";
export type { DataPoint, Figures, Latency } from "./figures.js";
export { scheduleMetricsJobs } from "./jobs.js";
export { createMetricsListener, type MetricsListener } from "./listener.js";
export type { CounterName, GaugeName, HistogramName, LevelName, SeriesName, SignName } from "./names.js";
export type { NodeReading } from "./reading-store.js";

/** What the server measures of itself: this node counts, all nodes' counts are read. */
export interface MetricsService extends Recorder, Figures {
  /** How many there are of what is kept. */
  census: Census;
  overview: Overview;
  export: MetricsExport;
  /** Forgets what is too old to be asked for. */
  removeOld(): Promise<void>;
}

export type MetricsNeeds = RecorderNeeds & CensusNeeds & { nodes: Pick<Nodes, "nodeId" | "isAlive"> };

export function createMetricsService(needs: MetricsNeeds): MetricsService {
  const { db, clock } = needs;
  const figures = createFigures(needs);
  const census = createCensus(needs);
  const recorder = createRecorder(needs);
  return {
    ...recorder,
    ...figures,
    census,
    overview: createOverview({ clock, figures, census }),
    export: createMetricsExport({
      ...{ db, clock, figures, census, flush: recorder.flushQuietly },
      own: () => ({ nodeId: needs.nodes.nodeId, figures: recorder.own() }),
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
