import { Readable } from "node:stream";
import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import { mebibyte } from "../../protocol/units.js";
import { type BlobLayout, type ByteRange, partCount, partSize } from "./layout.js";
import type { BlobStorage } from "./storage.js";

// A blob is an object, and its upload a multipart upload, whose parts S3 joins. Of a part S3 keeps all bytes or none.

interface S3Place {
  bucket: string;
  /** Before the names of all objects. */
  prefix: string;
  /** Null for AWS. */
  endpoint: string | null;
  /** Null for what the environment says, as for every program that uses the SDK. */
  region: string | null;
}

/** S3 takes no smaller parts but the last, and at most 10,000 of them. */
const partBytes = 8 * mebibyte;
const prefixes = 256;
const connectionMillis = 5_000;
/** Without a byte in this time, a request has failed. */
const silenceMillis = 30_000;
const mostSockets = 200;

/** The part of a request that a signature covers. */
interface HttpRequest {
  headers: Record<string, string>;
}

/** The caller logs what fails. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

type Sdk = typeof import("@aws-sdk/client-s3");

/** Blobs in a bucket of S3 or of a server that speaks its protocol. Credentials are found as every program with the SDK does. */
export function createS3Storage({ bucket, prefix, endpoint, region }: S3Place): BlobStorage {
  let loaded: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  const s3 = () => {
    loaded ??= load();
    return loaded;
  };
  // The library is large, and only relays that use it need it in memory.
  async function load(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import("@aws-sdk/client-s3");
    const client = new sdk.S3Client({
      ...(region === null ? {} : { region }),
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      requestHandler: {
        connectionTimeout: connectionMillis,
        socketTimeout: silenceMillis,
        httpsAgent: { maxSockets: mostSockets },
        httpAgent: { maxSockets: mostSockets },
      },
      logger: silent,
      // Not all servers know the newer checksums, and each part was checked on its way.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    return { sdk, client };
  }

  const keyOf = ({ name }: { name: string }) => ({ Bucket: bucket, Key: prefix + name });
  const uploadOf = (layout: BlobLayout) => ({ ...keyOf(layout), UploadId: layout.uploadReference ?? undefined });

  const hasObject = async (layout: BlobLayout): Promise<boolean> => {
    const { sdk, client } = await s3();
    const found = await client.send(new sdk.HeadObjectCommand(keyOf(layout))).catch(undefinedIfAbsent);
    return found !== undefined && found.ContentLength === layout.size;
  };

  /** Undefined if there is no such upload, or no longer. */
  const listParts = async (layout: BlobLayout): Promise<CompletedPart[] | undefined> => {
    const { sdk, client } = await s3();
    const parts: CompletedPart[] = [];
    let marker: string | undefined;
    do {
      const command = new sdk.ListPartsCommand({ ...uploadOf(layout), PartNumberMarker: marker });
      const page = await client.send(command).catch(undefinedIfAbsent);
      if (page === undefined) return undefined;
      for (const { PartNumber, ETag } of page.Parts ?? []) parts.push({ PartNumber, ETag });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  };

  return {
    async start() {
      const { sdk, client } = await s3();
      await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: `${prefix}trial`, Body: "trial" }));
    },
    async stop() {
      const { client } = (await loaded?.catch(() => undefined)) ?? {};
      client?.destroy();
    },
    partBytesFor: () => partBytes,
    freeBytes: async () => null,
    async begin(name) {
      const { sdk, client } = await s3();
      const command = new sdk.CreateMultipartUploadCommand({
        ...keyOf({ name }),
        ContentType: "application/octet-stream",
      });
      const { UploadId } = await client.send(command);
      if (UploadId === undefined) throw new Error("S3 has begun no upload");
      return UploadId;
    },
    async putPart(layout, { part, digest, chunks }) {
      const { sdk, client } = await s3();
      const body = Readable.from(withLastHeldBack(chunks), { objectMode: false });
      const ended = new AbortController();
      let failure: Error | undefined;
      body.on("error", (error) => {
        failure = error;
        ended.abort();
      });
      const command = new sdk.UploadPartCommand({
        ...uploadOf(layout),
        PartNumber: part + 1,
        ContentLength: partSize(layout, part),
        Body: body,
      });
      // Some servers keep a part whose request broke; none may keep one that differs from the digest that was signed.
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as HttpRequest).headers["x-amz-content-sha256"] = Buffer.from(digest).toString("hex");
          return next(args);
        },
        { step: "build" },
      );
      try {
        const stored = await client.send(command, { abortSignal: ended.signal }).catch(undefinedIfAbsent);
        // The upload ends when the blob is complete, also if the database does not say so yet.
        return stored !== undefined || (await hasObject(layout));
      } catch (error) {
        // The request fails when its body does, and only the body knows why.
        throw failure ?? error;
      } finally {
        body.destroy();
      }
    },
    async storedParts(layout) {
      const parts = await listParts(layout);
      if (parts !== undefined) return parts.map(({ PartNumber = 0 }) => PartNumber - 1);
      return (await hasObject(layout)) ? Array.from({ length: partCount(layout) }, (_, part) => part) : [];
    },
    async complete(layout) {
      const { sdk, client } = await s3();
      const parts = await listParts(layout);
      if (parts === undefined) return hasObject(layout);
      if (parts.length < partCount(layout)) return false;
      const command = new sdk.CompleteMultipartUploadCommand({
        ...uploadOf(layout),
        MultipartUpload: { Parts: parts },
      });
      const completed = await client.send(command).catch(undefinedIfAbsent);
      return completed !== undefined || hasObject(layout);
    },
    async open(layout, range) {
      // The bytes are asked for later, because a caller that changes its mind never starts to read.
      return (await hasObject(layout)) ? readObject(layout, range) : undefined;
    },
    async remove(layout) {
      const { sdk, client } = await s3();
      if (layout.uploadReference !== null)
        await client.send(new sdk.AbortMultipartUploadCommand(uploadOf(layout))).catch(undefinedIfAbsent);
      await client.send(new sdk.DeleteObjectCommand(keyOf(layout)));
    },
    async removeOlderThan(seconds, turn) {
      const { sdk, client } = await s3();
      // Each turn looks at one of 256 beginnings of names.
      const Prefix = prefix + (turn % prefixes).toString(16).padStart(2, "0");
      const isOld = (date: Date | undefined) => date !== undefined && date.getTime() < seconds * 1000;
      const objects = sdk.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix });
      for await (const { Contents = [] } of objects) {
        for (const { Key, LastModified } of Contents)
          if (isOld(LastModified)) await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key }));
      }
      const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix }));
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (!isOld(Initiated)) continue;
        await client
          .send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
          .catch(undefinedIfAbsent);
      }
    },
  };

  async function* readObject(layout: BlobLayout, { first, last }: ByteRange): AsyncGenerator<Uint8Array> {
    const { sdk, client } = await s3();
    const command = new sdk.GetObjectCommand({ ...keyOf(layout), Range: `bytes=${first}-${last}` });
    const { Body } = await client.send(command);
    const wanted = last - first + 1;
    let bytes = 0;
    for await (const chunk of Body as Readable) {
      bytes += chunk.length;
      yield chunk;
    }
    if (bytes !== wanted) throw new Error("the object of a blob does not have the bytes that were asked for");
  }
}

/** The last chunk comes only when `chunks` has ended well, so that S3 never has all bytes of a part that is refused. */
async function* withLastHeldBack(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (held !== undefined) yield held;
}

function undefinedIfAbsent(error: unknown): undefined {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  const isAbsent = name === "NoSuchUpload" || name === "NoSuchKey" || name === "NotFound";
  if (!isAbsent || $metadata?.httpStatusCode !== 404) throw error;
}
