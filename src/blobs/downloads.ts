import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { Transfers } from "./concurrent-transfers.js";
import type { BlobSettings } from "./config.js";
import { downloadLimits } from "./limits.js";
import { wantedRange } from "./range.js";
import type { ByteRange } from "./storage/layout.js";
import { countDownload, findBlob, layoutOf, type StoredBlob } from "./store.js";
import { demandStorage, fromStorage, hashOf, notFound, type StoredBlobsDeps } from "./stored-blobs.js";

interface WantedBytes {
  id: Uint8Array;
  range: string | undefined;
  ifRange: string | undefined;
  /** Names a download of which this is a part. */
  download: Uint8Array | undefined;
  isHead: boolean;
  ip: string;
  /** Aborted when the answer has been sent or its client has gone. */
  ended: AbortSignal;
}

interface FoundBlob {
  size: number;
  tag: string;
  /** Undefined for all bytes. */
  range: ByteRange | undefined;
  length: number;
}

/** The bytes, or where the storage hands them out. */
type BlobBytes = FoundBlob & ({ chunks: AsyncIterable<Uint8Array> } | { address: string });

export interface DownloadsDeps extends StoredBlobsDeps {
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: BlobSettings;
}

/** Downloads: anybody who knows the id of a complete blob may read it, as often as its uploader allows. */
export class BlobDownloads {
  private readonly deps: DownloadsDeps;
  private readonly transfers: Transfers;

  constructor(transfers: Transfers, deps: DownloadsDeps) {
    this.transfers = transfers;
    this.deps = deps;
  }

  /** Throws NOT_FOUND, RANGE_NOT_SATISFIABLE, RATE_LIMIT_EXCEEDED, OVERLOADED or BLOBS_DISABLED. */
  async read(wanted: WantedBytes, observer?: LimitObserver): Promise<BlobBytes> {
    const { db, rateLimiter, metrics, config } = this.deps;
    const storage = demandStorage(this.deps);
    const { id, download, isHead, ip } = wanted;
    const blob = await findBlob(db, { name: hashOf(id), now: this.deps.clock.nowSeconds() });
    if (blob === undefined || !blob.isComplete || (blob.downloadsLeft === 0 && download === undefined)) {
      await rateLimiter.count(db, downloadLimits(ip, 0, config), observer);
      throw notFound();
    }
    const { size, name } = blob;
    const tag = `"${name.toString("hex").slice(0, 32)}"`;
    const range = wantedRange(wanted, { size, tag });
    const { first, last } = range ?? { first: 0, last: size - 1 };
    const found = { size, tag, range, length: last - first + 1 };
    await rateLimiter.count(db, downloadLimits(ip, isHead ? 0 : found.length, config), observer);
    if (isHead) return { ...found, chunks: nothing() };
    // An address works more than once, so a blob whose downloads are counted passes the relay. S3 does not know If-Range.
    const redirects = blob.downloadsLeft === null && wanted.ifRange === undefined;
    const address = redirects ? await fromStorage(storage.address(layoutOf(blob)), this.deps) : null;
    const bytes = address === null ? { chunks: await this.open(blob, { first, last }, wanted) } : { address };
    metrics.count("blobs_downloaded");
    return { ...found, ...bytes };
  }

  /** The bytes, which hold a place among the transfers until the answer has ended. */
  private async open(blob: StoredBlob, bytes: ByteRange, wanted: WantedBytes): Promise<AsyncIterable<Uint8Array>> {
    const { metrics, logger } = this.deps;
    const end = this.transfers.begin(wanted.ip);
    wanted.ended.addEventListener("abort", end);
    if (wanted.ended.aborted) end();
    try {
      const chunks = await fromStorage(demandStorage(this.deps).open(layoutOf(blob), bytes), this.deps);
      if (chunks === undefined) {
        logger.error("the bytes of a blob are missing in the storage");
        throw notFound();
      }
      if (blob.downloadsLeft !== null) await this.countDownload(blob, wanted.download);
      return counting(chunks, (n) => metrics.count("blob_bytes_sent", n));
    } catch (error) {
      end();
      throw error;
    }
  }

  private async countDownload({ name }: StoredBlob, download: Uint8Array | undefined): Promise<void> {
    const { db, clock, config } = this.deps;
    const seconds = config.blobDownloadSeconds;
    const counted = { name, download: download ? hashOf(download) : null, now: clock.nowSeconds(), seconds };
    if (!(await db.transaction((trx) => countDownload(trx, counted)))) throw notFound();
  }
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    count(chunk.length);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
