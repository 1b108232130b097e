import type { Database, Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Nodes } from "../node/nodes.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { softwareVersion } from "../platform/software-version.js";
import type { Machine } from "../process/machine.js";
import type { MetricsSettings } from "./config.js";
import { type CounterName, type GaugeName, gaugeNames, type HistogramName, type SignName } from "./names.js";
import { createPending, type Taken } from "./pending.js";
import { fineSeconds, resolutions, spanStart } from "./resolutions.js";
import { addCounts, addValues, deleteReading, putReading } from "./store.js";

/** What this node counts and reads about itself. Counting happens in memory and costs no round trip. */
export type Recorder = ReturnType<typeof createRecorder>;

export interface RecorderDeps {
  db: Database;
  clock: Clock;
  nodes: Pick<Nodes, "nodeId">;
  machine: Machine;
  logger: Logger;
  config: Pick<MetricsSettings, "metricsFlushSeconds">;
}

export function createRecorder(deps: RecorderDeps) {
  const { db, clock, nodes, machine, logger, config } = deps;
  const pending = createPending(() => spanStart(clock.nowSeconds(), fineSeconds));
  const startedAt = clock.nowSeconds();
  const gauges = new Map<string, () => number>([
    ["cpu_usage_percent", machine.cpuPercent],
    ["memory_bytes", machine.memoryBytes],
  ]);
  let writing: Promise<void> = Promise.resolve();

  const own = () => Object.fromEntries([...gauges].map(([name, read]) => [name, read()]));
  const write = async (): Promise<void> => {
    const taken = pending.take();
    const readAt = clock.nowSeconds();
    const reading = { nodeId: nodes.nodeId, startedAt, readAt, version: softwareVersion, figures: own() };
    try {
      await db.transaction(async (trx) => {
        for (const span of taken) await writeSpan(trx, nodes.nodeId, span);
        await writeGauges(trx, nodes.nodeId, reading);
        await putReading(trx, reading);
      });
    } catch (error) {
      pending.giveBack(taken);
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write, write);
    return writing;
  };
  const periodic = createPeriodic({
    everyMillis: config.metricsFlushSeconds * 1000,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "metrics were not written and are kept for the next flush"),
  });

  return {
    async start(): Promise<void> {
      await flush();
      periodic.start();
    },
    /** Writes what was counted since the last write, and signs off. */
    async stop(): Promise<void> {
      await periodic.stop();
      await periodic.run();
      await deleteReading(db, nodes.nodeId).catch((error: unknown) => {
        logger.warn({ err: error }, "the node's reading was not removed");
      });
    },
    count: (name: CounterName, by: number = 1): void => pending.count(name, by),
    observe: (name: HistogramName, milliseconds: number): void => pending.observe(name, milliseconds),
    /** Registers a value of this node that is read at every write. */
    gauge: (name: GaugeName | SignName, read: () => number): void => void gauges.set(name, read),
    /** This node's own current readings, without the database. */
    own,
    /** Writes the counts now; what is read afterwards includes them. */
    flush,
    /** The same if the counts can be written; otherwise they are kept, and what is read afterwards lacks them. */
    flushQuietly: periodic.runNext,
  };
}

/** Writes the counts of a span into its span of every resolution. */
async function writeSpan(trx: Db, nodeId: string, { at, sums, counts }: Taken): Promise<void> {
  for (const resolution of resolutions) {
    const span = { resolution, bucketStart: spanStart(at, resolution), nodeId };
    if (sums.size > 0) await addValues(trx, { ...span, values: sums, replace: false });
    if (counts.length > 0) await addCounts(trx, { ...span, counts });
  }
}

/** Levels are kept only in the finest spans, from which averages over longer spans are computed. */
async function writeGauges(
  trx: Db,
  nodeId: string,
  { readAt, figures }: { readAt: number; figures: Readonly<Record<string, number>> },
): Promise<void> {
  const kept = gaugeNames.flatMap((name) => (figures[name] === undefined ? [] : [[name, figures[name]] as const]));
  const span = { resolution: fineSeconds, bucketStart: spanStart(readAt, fineSeconds), nodeId };
  await addValues(trx, { ...span, values: new Map<string, number>(kept), replace: true });
}
