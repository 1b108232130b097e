import type { Transaction } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import { RelayError } from "../protocol/errors.js";
import { daySeconds } from "../protocol/units.js";
import type { BlobSettings } from "./config.js";
import { deleteEndedDownloads, deleteRow, layoutOf, markRemoved, type StoredBlob, takeEnded } from "./store.js";
import { demandBlob, demandStorage, isHashOf, notFound, type StoredBlobsDeps } from "./stored-blobs.js";

/** No blob is older: 90 days, the full hour after them, and a day for clocks that differ. */
const longestLifetimeSeconds = 92 * daySeconds;

export interface RemovalDeps extends StoredBlobsDeps {
  metrics: Pick<MetricsService, "count">;
  config: Pick<BlobSettings, "blobsRemovedPerStep" | "blobCleanupSeconds">;
}

/** The end of blobs. A row says that its blob is gone before the bytes go, and is deleted after them. */
export class BlobRemoval {
  private readonly deps: RemovalDeps;

  constructor(deps: RemovalDeps) {
    this.deps = deps;
  }

  /** Throws NOT_FOUND, UNAUTHORIZED or BLOBS_DISABLED. */
  async delete(id: Uint8Array, deleteToken: Uint8Array): Promise<void> {
    const { db } = this.deps;
    demandStorage(this.deps);
    const blob = await demandBlob(id, this.deps);
    if (!isHashOf(blob.deleteHash, deleteToken)) throw new RelayError("UNAUTHORIZED", "wrong delete token");
    if (!(await markRemoved(db, blob.name))) throw notFound();
    await this.removeOrWarn(blob);
  }

  /** Deletes a blob without its token, in one transaction with what `note` writes. Throws NOT_FOUND or BLOBS_DISABLED. */
  async erase(id: Uint8Array, note: (trx: Transaction) => Promise<unknown>): Promise<void> {
    const { db } = this.deps;
    demandStorage(this.deps);
    const blob = await demandBlob(id, this.deps);
    await db.transaction(async (trx) => {
      if (!(await markRemoved(trx, blob.name))) throw notFound();
      await note(trx);
    });
    await this.removeOrWarn(blob);
  }

  /** Removes blobs that have expired, were deleted or were never completed. */
  async removeEnded(): Promise<void> {
    const { db, clock, config, metrics, storage } = this.deps;
    if (storage === null) return;
    const now = clock.nowSeconds();
    const limit = config.blobsRemovedPerStep;
    for (;;) {
      const ended = await takeEnded(db, { now, limit });
      let removed = 0;
      // One that cannot be removed keeps no other.
      for (const blob of ended) if (await this.removeOrWarn(blob)) removed++;
      if (removed > 0) metrics.count("blobs_removed", removed);
      if (ended.length < limit || removed === 0) break;
    }
    await deleteEndedDownloads(db, { now });
    const turn = Math.floor(now / config.blobCleanupSeconds);
    await storage.removeOlderThan(now - longestLifetimeSeconds, turn);
  }

  private async remove(blob: StoredBlob): Promise<void> {
    await demandStorage(this.deps).remove(layoutOf(blob));
    await deleteRow(this.deps.db, blob.name);
  }

  /** False if the bytes remain for now; then the clean-up tries again. */
  private async removeOrWarn(blob: StoredBlob): Promise<boolean> {
    try {
      await this.remove(blob);
      return true;
    } catch (error) {
      this.deps.logger.warn({ err: error }, "the bytes of a blob that has ended cannot be removed");
      return false;
    }
  }
}
