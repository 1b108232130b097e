import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { isOutOfFiles } from "../platform/out-of-files.js";
import type { BlobSettings } from "./config.js";
import type { BlobStorage } from "./storage/storage.js";

/** Tries the storage again and again, so that a node without it is noticed before its clients notice. */
export function createStorageWatch(deps: {
  storage: BlobStorage;
  clock: Clock;
  logger: Logger;
  metrics: Pick<MetricsService, "gauge">;
  config: Pick<BlobSettings, "blobStorageCheckSeconds">;
}) {
  const { storage, clock, logger, metrics, config } = deps;
  let failingSince = 0;
  const check = async (): Promise<void> => {
    await storage.start();
    const free = await storage.freeBytes();
    if (free !== null) metrics.gauge("blob_disk_free_bytes", () => free);
    if (failingSince !== 0) logger.info("the storage of blobs can be used again");
    failingSince = 0;
  };
  const periodic = createPeriodic({
    everyMillis: config.blobStorageCheckSeconds * 1000,
    run: check,
    failed: (error) => {
      // That says nothing about the storage, and has a separate alert.
      if (isOutOfFiles(error)) return;
      // Without blobs, everything else still works.
      if (failingSince === 0) logger.error({ err: error }, "the storage of blobs cannot be used");
      failingSince ||= clock.nowSeconds();
    },
  });
  return {
    async start(): Promise<void> {
      metrics.gauge("blob_storage_failing_at", () => failingSince);
      await periodic.run();
      periodic.start();
    },
    stop: periodic.stop,
    isFailing: (): boolean => failingSince !== 0,
  };
}
