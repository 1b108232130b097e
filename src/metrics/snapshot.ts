import { performance } from "node:perf_hooks";
import { type Database, inTransaction, isRefusedWrite, type Reader } from "../database/connection.js";
import type { Clock } from "../node/clock.js";
import { type TrustSettings, tierBounds } from "../protocol/trust-tier.js";
import { daySeconds } from "../protocol/units.js";
import type { MetricsSettings } from "./config.js";
import {
  countDevices,
  countOutbox,
  countPeers,
  countQueues,
  type DeviceMoments,
  readDatabaseSize,
} from "./read-model.js";
import { fineSeconds, spanStart } from "./resolutions.js";
import { addValues, putSnapshot, readSnapshot, type SnapshotTaken } from "./store.js";

export type { SnapshotTaken } from "./store.js";

/**
 * Counting what the server keeps. Nothing on a message's way keeps count for it: tables are gone through, which takes
 * milliseconds on a small server and is repeated for every query there. On a large one it is done by a job, and
 * questions are answered with its last count.
 */
export interface Snapshot {
  /** The present count on a small server, else the last one. */
  current(): Promise<SnapshotTaken>;
  /** Counts now, unless the last count was so laborious that it is to hold for longer. */
  takeDue(): Promise<void>;
}

export interface SnapshotDeps {
  db: Database;
  /** Where is counted. */
  reader: Reader;
  clock: Clock;
  settings: { current(): TrustSettings };
  config: Pick<MetricsSettings, "metricsSnapshotSeconds">;
}

/** A server with at most this many devices is counted again for every query. */
const mostDevicesAtOnce = 50_000;
/** Counting takes this part of the time at most. */
const mostShare = 0.01;
/** A count that its job has missed this many times is not trusted any more. */
const turnsMissed = 3;
/** Under this name instead of a node's, levels of the whole server are kept over time. */
const wholeServer = "all";

export function createSnapshot(deps: SnapshotDeps): Snapshot {
  const { db, reader, clock, settings, config } = deps;
  let taking: Promise<SnapshotTaken> | undefined;

  const count = async (): Promise<SnapshotTaken> => {
    const takenAt = clock.nowSeconds();
    const startedAt = performance.now();
    const moments = momentsOf(takenAt, settings.current());
    const levels = {
      ...(await countDevices(reader, moments)),
      ...(await countQueues(reader)),
      ...(await countOutbox(reader)),
      ...(await countPeers(reader, takenAt)),
      storage_bytes: await readDatabaseSize(reader),
    };
    const snapshot = { takenAt, millis: performance.now() - startedAt, levels };
    await keep(db, snapshot).catch(ignoreRefusedWrite);
    return snapshot;
  };
  const take = (): Promise<SnapshotTaken> => {
    taking ??= count().finally(() => {
      taking = undefined;
    });
    return taking;
  };

  return {
    async current() {
      const known = await readSnapshot(db);
      if (known === undefined || known.levels.devices <= mostDevicesAtOnce) return take();
      const age = clock.nowSeconds() - known.takenAt;
      return age > turnsMissed * Math.max(config.metricsSnapshotSeconds, restSeconds(known)) ? take() : known;
    },
    async takeDue() {
      const known = await readSnapshot(db);
      if (known === undefined || clock.nowSeconds() - known.takenAt >= restSeconds(known)) await take();
    },
  };
}

/** How the server is must be told just when its disk is full. */
function ignoreRefusedWrite(error: unknown): void {
  if (!isRefusedWrite(error)) throw error;
}

/** How long a count holds before another one may be begun. */
function restSeconds({ millis }: SnapshotTaken): number {
  return millis / 1000 / mostShare;
}

function momentsOf(now: number, { progressive_trust: trust }: TrustSettings): DeviceMoments {
  const bounds = trust.enabled ? tierBounds(now, trust) : { newAfter: null, establishedAfter: null };
  return { now, dayAgo: now - daySeconds, ...bounds };
}

async function keep(db: Database, snapshot: SnapshotTaken): Promise<void> {
  await inTransaction(db, async (trx) => {
    await putSnapshot(trx, snapshot);
    const bucketStart = spanStart(snapshot.takenAt, fineSeconds);
    const values = new Map(Object.entries(snapshot.levels));
    await addValues(trx, { resolution: fineSeconds, bucketStart, nodeId: wholeServer, values, replace: true });
  });
}
