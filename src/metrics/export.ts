import type { Reader } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { type Exported, type OwnReading, readCatalogue } from "./catalogue.js";
import { asCsv, asPrometheus } from "./exposition.js";
import type { Figures } from "./figures.js";
import type { ServerReadings } from "./server-readings.js";
import type { Snapshot } from "./snapshot.js";

/** All current metrics, in the forms in which others read them. */
export interface MetricsExport {
  prometheus(): Promise<string>;
  csv(): Promise<string>;
  list(): Promise<{ now: number; metrics: Exported[] }>;
}

export function createMetricsExport(deps: {
  reader: Reader;
  clock: Clock;
  figures: Figures;
  snapshot: Pick<Snapshot, "current">;
  /** Writes what this node has counted. */
  flush: () => Promise<void>;
  /** This node's own current readings. */
  own: () => OwnReading;
  /** What other modules report about the whole server. */
  readServer: () => Promise<ServerReadings>;
}): MetricsExport {
  const list: MetricsExport["list"] = async () => {
    await deps.flush();
    const own = deps.own();
    const now = deps.clock.nowSeconds();
    return { now, metrics: await readCatalogue({ ...deps, own, now }) };
  };
  return {
    list,
    prometheus: async () => asPrometheus((await list()).metrics),
    csv: async () => asCsv((await list()).metrics),
  };
}
