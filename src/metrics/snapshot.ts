import { performance } from "node:perf_hooks";
import type { Database, Reader } from "../database/db.js";
import { isRefusedWrite } from "../database/errors.js";
import { type Clock, secondsSince } from "../node/clock.js";
import { type TrustSettings, tierBounds } from "../protocol/trust-tier.js";
import { daySeconds } from "../protocol/units.js";
import type { MetricsSettings } from "./config.js";
import {
  countBlobs,
  countDevices,
  countOutbox,
  countPeers,
  countQueues,
  type DeviceMoments,
  readDatabaseSize,
  readSlotBytes,
} from "./read-model.js";
import { fineSeconds, spanStart } from "./resolutions.js";
import { addValues, putSnapshot, readSnapshot, type SnapshotTaken } from "./store.js";

export type { SnapshotTaken } from "./store.js";

/**
 * Counts what the server holds. Nothing on a message's path keeps these counts: tables are scanned, which takes
 * milliseconds on a small server and is repeated for every query. On a large server a job does it, and queries get its
 * last count.
 */
export type Snapshot = ReturnType<typeof createSnapshot>;

export interface SnapshotDeps {
  db: Database;
  /** The database on which the count runs. */
  reader: Reader;
  clock: Clock;
  settings: { current(): TrustSettings };
  config: Pick<MetricsSettings, "metricsSnapshotSeconds">;
}

/** A server with at most this many devices is counted again for every query. */
const maxDevicesAtOnce = 50_000;
/** Maximum share of the time that counting may take. */
const maxShare = 0.01;
/** A count is no longer trusted after its job has missed this many runs. */
const turnsMissed = 3;
/** The name, in place of a node's, under which levels of the whole server are kept over time. */
const wholeServer = "all";

export function createSnapshot(deps: SnapshotDeps) {
  const { db, reader, clock, settings, config } = deps;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<SnapshotTaken> | undefined;

  const count = async (): Promise<SnapshotTaken> => {
    const takenAt = clock.nowSeconds();
    const startedAt = performance.now();
    const moments = momentsOf(takenAt, settings.current());
    const levels = {
      ...(await countDevices(reader, moments)),
      ...(await countQueues(reader)),
      ...(await countOutbox(reader)),
      slot_bytes: await readSlotBytes(reader),
      ...(await countBlobs(reader)),
      ...(await countPeers(reader, takenAt)),
      storage_bytes: await readDatabaseSize(reader),
    };
    const snapshot = { takenAt, millis: performance.now() - startedAt, levels };
    await keep(db, snapshot).catch(ignoreRefusedWrite);
    return snapshot;
  };
  /** Counts once for all who ask while another count is under way; that one may have missed what they look for. */
  const take = (): Promise<SnapshotTaken> => {
    if (next !== undefined) return next;
    next = last.then(() => {
      next = undefined;
      return count();
    });
    last = next.catch(() => undefined);
    return next;
  };

  return {
    /** The current count on a small server, otherwise the last one. */
    async current(): Promise<SnapshotTaken> {
      const known = await readSnapshot(db);
      if (known === undefined || known.levels.devices <= maxDevicesAtOnce) return take();
      const age = secondsSince(known.takenAt, clock.nowSeconds());
      return age > turnsMissed * Math.max(config.metricsSnapshotSeconds, restSeconds(known)) ? take() : known;
    },
    /** Counts now, unless the last count took so long that it must be used for longer. */
    async takeDue(): Promise<void> {
      const known = await readSnapshot(db);
      if (known === undefined || secondsSince(known.takenAt, clock.nowSeconds()) >= restSeconds(known)) await take();
    },
  };
}

/** The server's state must be readable even when its disk is full, and then most of all. */
function ignoreRefusedWrite(error: unknown): void {
  if (!isRefusedWrite(error)) throw error;
}

/** How long a count is used before another may begin. */
function restSeconds({ millis }: SnapshotTaken): number {
  return millis / 1000 / maxShare;
}

function momentsOf(now: number, { progressive_trust: trust }: TrustSettings): DeviceMoments {
  const bounds = trust.enabled ? tierBounds(now, trust) : { newAfter: null, establishedAfter: null };
  return { now, dayAgo: now - daySeconds, ...bounds };
}

async function keep(db: Database, snapshot: SnapshotTaken): Promise<void> {
  await db.transaction(async (trx) => {
    await putSnapshot(trx, snapshot);
    const bucketStart = spanStart(snapshot.takenAt, fineSeconds);
    const values = new Map(Object.entries(snapshot.levels));
    await addValues(trx, { resolution: fineSeconds, bucketStart, nodeId: wholeServer, values, replace: true });
  });
}
