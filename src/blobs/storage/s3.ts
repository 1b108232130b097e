import { Readable } from "node:stream";
import type { CompletedPart, S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { mebibyte } from "../../protocol/units.js";
import { type BlobLayout, type ByteRange, partCount, partSize } from "./layout.js";
import type { BlobStorage, GivenPart } from "./storage.js";

// A blob is an object, and its upload a multipart upload, whose parts S3 joins. Of a part S3 keeps all bytes or none.

interface S3Place {
  bucket: string;
  /** Before the names of all objects. */
  prefix: string;
  /** Null for AWS. */
  endpoint: string | null;
  /** Where clients reach the same server, if they are to read blobs from it. Null if all bytes pass the relay. */
  publicEndpoint: string | null;
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
/** A client that reads an address later asks the relay for another one. */
const addressSeconds = 300;

/** The part of a request that a signature covers. */
interface HttpRequest {
  headers: Record<string, string>;
}

/** The caller logs what fails. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

type Sdk = typeof import("@aws-sdk/client-s3");

/** Blobs in a bucket of S3 or of a server that speaks its protocol. Credentials are found as every program with the SDK does. */
export class S3Storage implements BlobStorage {
  private readonly place: S3Place;
  private loaded: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  /** Signs addresses, and calls nobody. */
  private signer: S3Client | undefined;

  constructor(place: S3Place) {
    this.place = place;
  }

  async start(): Promise<void> {
    const { sdk, client } = await this.s3();
    await client.send(
      new sdk.PutObjectCommand({ Bucket: this.place.bucket, Key: `${this.place.prefix}trial`, Body: "trial" }),
    );
  }

  async stop(): Promise<void> {
    const { client } = (await this.loaded?.catch(() => undefined)) ?? {};
    client?.destroy();
  }

  partBytesFor(): number {
    return partBytes;
  }

  async freeBytes(): Promise<number | null> {
    return null;
  }

  async begin(name: string): Promise<string | null> {
    const { sdk, client } = await this.s3();
    const command = new sdk.CreateMultipartUploadCommand({
      ...this.keyOf({ name }),
      ContentType: "application/octet-stream",
    });
    const { UploadId } = await client.send(command);
    if (UploadId === undefined) throw new Error("S3 has begun no upload");
    return UploadId;
  }

  async putPart(layout: BlobLayout, { part, digest, chunks }: GivenPart): ReturnType<BlobStorage["putPart"]> {
    const { sdk, client } = await this.s3();
    const body = Readable.from(withLastHeldBack(chunks), { objectMode: false });
    const ended = new AbortController();
    let failure: Error | undefined;
    body.on("error", (error) => {
      failure = error;
      ended.abort();
    });
    const command = new sdk.UploadPartCommand({
      ...this.uploadOf(layout),
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
      const stored = await client.send(command, { abortSignal: ended.signal }).catch(undefinedIfUploadEnded);
      if (stored !== undefined) return "stored";
      // The upload ends when its parts are joined, also if the database does not say so yet.
      return (await this.hasObject(layout)) ? "joined" : "removed";
    } catch (error) {
      // The request fails when its body does, and only the body knows why.
      throw failure ?? error;
    } finally {
      body.destroy();
    }
  }

  async storedParts(layout: BlobLayout): Promise<number[]> {
    const parts = await this.listParts(layout);
    if (parts !== undefined) return parts.map(({ PartNumber = 0 }) => PartNumber - 1);
    return (await this.hasObject(layout)) ? Array.from({ length: partCount(layout) }, (_, part) => part) : [];
  }

  async complete(layout: BlobLayout): Promise<boolean> {
    const { sdk, client } = await this.s3();
    const parts = await this.listParts(layout);
    if (parts === undefined) return this.hasObject(layout);
    if (parts.length < partCount(layout)) return false;
    const command = new sdk.CompleteMultipartUploadCommand({
      ...this.uploadOf(layout),
      MultipartUpload: { Parts: parts },
    });
    const completed = await client.send(command).catch(undefinedIfUploadEnded);
    return completed !== undefined || this.hasObject(layout);
  }

  async address(layout: BlobLayout): Promise<string | null> {
    const { publicEndpoint } = this.place;
    if (publicEndpoint === null) return null;
    const { sdk } = await this.s3();
    const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
    this.signer ??= new sdk.S3Client(clientOf({ ...this.place, endpoint: publicEndpoint }));
    return getSignedUrl(this.signer, new sdk.GetObjectCommand(this.keyOf(layout)), { expiresIn: addressSeconds });
  }

  async open(layout: BlobLayout, range: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    // The bytes are asked for later, because a caller that changes its mind never starts to read.
    return (await this.hasObject(layout)) ? this.readObject(layout, range) : undefined;
  }

  async remove(layout: BlobLayout): Promise<void> {
    const { sdk, client } = await this.s3();
    if (layout.uploadReference !== null)
      await client.send(new sdk.AbortMultipartUploadCommand(this.uploadOf(layout))).catch(undefinedIfUploadEnded);
    await client.send(new sdk.DeleteObjectCommand(this.keyOf(layout)));
  }

  async removeOlderThan(seconds: number, turn: number): Promise<void> {
    const { sdk, client } = await this.s3();
    // Each turn looks at one of 256 beginnings of names.
    const Prefix = this.place.prefix + (turn % prefixes).toString(16).padStart(2, "0");
    const isOld = (date: Date | undefined) => date !== undefined && date.getTime() < seconds * 1000;
    const objects = sdk.paginateListObjectsV2({ client }, { Bucket: this.place.bucket, Prefix });
    for await (const { Contents = [] } of objects) {
      for (const { Key, LastModified } of Contents)
        if (isOld(LastModified)) await client.send(new sdk.DeleteObjectCommand({ Bucket: this.place.bucket, Key }));
    }
    const { Uploads = [] } = await client.send(
      new sdk.ListMultipartUploadsCommand({ Bucket: this.place.bucket, Prefix }),
    );
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (!isOld(Initiated)) continue;
      await client
        .send(new sdk.AbortMultipartUploadCommand({ Bucket: this.place.bucket, Key, UploadId }))
        .catch(undefinedIfUploadEnded);
    }
  }

  private s3(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  // The library is large, and only relays that use it need it in memory.
  private async load(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import("@aws-sdk/client-s3");
    const client = new sdk.S3Client(clientOf(this.place));
    return { sdk, client };
  }

  private keyOf({ name }: { name: string }) {
    return { Bucket: this.place.bucket, Key: this.place.prefix + name };
  }

  private uploadOf(layout: BlobLayout) {
    return { ...this.keyOf(layout), UploadId: layout.uploadReference ?? undefined };
  }

  private async hasObject(layout: BlobLayout): Promise<boolean> {
    const { sdk, client } = await this.s3();
    const found = await client.send(new sdk.HeadObjectCommand(this.keyOf(layout))).catch(undefinedIfAbsent);
    return found !== undefined && found.ContentLength === layout.size;
  }

  /** Undefined if there is no such upload, or no longer. */
  private async listParts(layout: BlobLayout): Promise<CompletedPart[] | undefined> {
    const { sdk, client } = await this.s3();
    const parts: CompletedPart[] = [];
    let marker: string | undefined;
    do {
      const command = new sdk.ListPartsCommand({ ...this.uploadOf(layout), PartNumberMarker: marker });
      const page = await client.send(command).catch(undefinedIfUploadEnded);
      if (page === undefined) return undefined;
      for (const { PartNumber, ETag } of page.Parts ?? []) parts.push({ PartNumber, ETag });
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  }

  private async *readObject(layout: BlobLayout, { first, last }: ByteRange): AsyncGenerator<Uint8Array> {
    const { sdk, client } = await this.s3();
    const command = new sdk.GetObjectCommand({ ...this.keyOf(layout), Range: `bytes=${first}-${last}` });
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

function clientOf({ endpoint, region }: S3Place): S3ClientConfig {
  return {
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
  };
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

/** For requests without a body in the answer, whose status is all that tells. */
function undefinedIfAbsent(error: unknown): undefined {
  if (!isAnswer404(error, ["NoSuchKey", "NotFound"])) throw error;
}

/** The storage must say it by name: a 404 of a proxy in front of it would otherwise end uploads that go on. */
function undefinedIfUploadEnded(error: unknown): undefined {
  if (!isAnswer404(error, ["NoSuchUpload", "NoSuchKey"])) throw error;
}

function isAnswer404(error: unknown, names: readonly string[]): boolean {
  const { name = "", $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return names.includes(name) && $metadata?.httpStatusCode === 404;
}
