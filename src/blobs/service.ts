import type { MetricsService } from "../metrics/service.js";
import type { Schedule } from "../node/schedule.js";
import { createTransfers } from "./concurrent-transfers.js";
import type { BlobSettings } from "./config.js";
import { BlobDownloads, type DownloadsDeps } from "./downloads.js";
import { BlobRemoval, type RemovalDeps } from "./removal.js";
import { createStorageWatch } from "./storage-watch.js";
import { BlobUploads, type UploadsDeps } from "./uploads.js";

export { inspectBlobs } from "./inspection.js";
export { describeBlobStorage, openBlobStorage } from "./open-storage.js";
export { blobFolder } from "./storage/folder.js";
export type { BlobStorage } from "./storage/storage.js";
export { countBlobs, voidCountedBlobs } from "./store.js";

/** Blobs: files that clients have encrypted, found by ids that nobody can guess. */
export type BlobsService = ReturnType<typeof createBlobsService>;

type BlobsDeps = Omit<UploadsDeps, "isFailing"> &
  DownloadsDeps &
  RemovalDeps & { metrics: Pick<MetricsService, "count" | "gauge">; config: BlobSettings };

export function createBlobsService(deps: BlobsDeps) {
  const { storage, config } = deps;
  const transfers = createTransfers({ perNode: config.blobTransfersPerNode, perIp: config.blobTransfersPerIp });
  const watch = storage && createStorageWatch({ ...deps, storage });
  return {
    uploads: new BlobUploads(transfers, { ...deps, isFailing: () => watch?.isFailing() ?? false }),
    downloads: new BlobDownloads(transfers, deps),
    removal: new BlobRemoval(deps),
    async start(): Promise<void> {
      await watch?.start();
    },
    async stop(): Promise<void> {
      await watch?.stop();
      await storage?.stop();
    },
    /** Null if this relay has no blobs. */
    policy: (): { maxBytes: number } | null => (storage === null ? null : { maxBytes: config.blobBytes }),
  };
}

/** Schedules the removal of blobs that have ended. */
export function scheduleBlobsJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  removal: Pick<BlobRemoval, "removeEnded">,
  config: Pick<BlobSettings, "blobCleanupSeconds">,
): void {
  schedule.cleanUpEvery("blobs.clean-up", config.blobCleanupSeconds, () => removal.removeEnded());
}
