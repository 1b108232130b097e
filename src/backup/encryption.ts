import { readFile } from "node:fs/promises";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { DamagedBackup } from "./frames.js";

// A backup is compressed and then, if age recipients are given, encrypted. `age --decrypt` and `gunzip` can also read
// it.

const ageStart = "age-encryption.org/v1";
const gzipStart = Buffer.from([0x1f, 0x8b]);
/** The fastest level halves the hex text of bytes. Ciphertext does not compress further at any level. */
const compressionLevel = 1;

/** Throws if the text is not an age recipient. */
export function checkRecipient(recipient: string): void {
  try {
    new Encrypter().addRecipient(recipient);
  } catch (cause) {
    throw new Error("must be a list of age recipients, like age1…", { cause });
  }
}

/** Compresses the bytes, and encrypts them if there are recipients. */
export async function* pack(
  bytes: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): AsyncGenerator<Uint8Array> {
  const compressed = through(bytes, createGzip({ level: compressionLevel }));
  if (recipients.length === 0) return yield* compressed;
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  yield* (await encrypter.encrypt(asStream(compressed))) as unknown as AsyncIterable<Uint8Array>;
}

/** Decrypts and decompresses. Throws DamagedBackup if the bytes are not a backup or not encrypted to these identities. */
export async function* unpack(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Uint8Array> {
  const { start, all } = await peek(bytes, ageStart.length);
  const isEncrypted = start.toString("latin1") === ageStart;
  const compressed = isEncrypted ? await decrypt(all, identities) : all;
  if (!isEncrypted && !start.subarray(0, gzipStart.length).equals(gzipStart)) {
    throw new DamagedBackup("the file is not a backup of mls-relay");
  }
  try {
    yield* through(compressed, createGunzip());
  } catch (cause) {
    throw cause instanceof DamagedBackup ? cause : new DamagedBackup("the backup is damaged or truncated", { cause });
  }
}

/** Reads the identities of a file that age-keygen wrote: one per line, and comments. */
export async function readIdentities(file: string): Promise<string[]> {
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  const identities = lines.filter((line) => line.startsWith("AGE-SECRET-KEY-"));
  if (identities.length === 0) throw new Error(`${file} contains no age identity (AGE-SECRET-KEY-…)`);
  return identities;
}

async function decrypt(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  if (identities.length === 0)
    throw new DamagedBackup("the backup is encrypted; name the age identity to decrypt it with");
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    return (await decrypter.decrypt(asStream(bytes))) as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new DamagedBackup("the backup is not encrypted to this age identity", { cause });
  }
}

/** Returns the first bytes, and a source that begins with them. */
async function peek(bytes: AsyncIterable<Uint8Array>, count: number) {
  const source = bytes[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let length = 0;
  while (length < count) {
    const { value, done } = await source.next();
    if (done === true) break;
    seen.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* seen;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { start: Buffer.concat(seen).subarray(0, count), all: all() };
}

/** The output of the transform. Throws the errors of both sides. */
async function* through(bytes: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const ended = pipeline(Readable.from(bytes), transform);
  // The loop below throws the same error.
  ended.catch(() => undefined);
  try {
    yield* transform as AsyncIterable<Uint8Array>;
    await ended;
  } finally {
    transform.destroy();
  }
}

/** The library takes web streams; Node.js declares a different type for them. */
function asStream(bytes: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(bytes) as unknown as globalThis.ReadableStream<Uint8Array>;
}
