import { readFile } from "node:fs/promises";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { DamagedBackup } from "./frames.js";

// On the way to the disk a backup is compressed, then encrypted to age keys where any are given: `age --decrypt` and
// `gunzip` read it back as well.

const ageStart = "age-encryption.org/v1";
const gzipStart = Buffer.from([0x1f, 0x8b]);
/** Text of bytes in hex shrinks to half at the fastest level; ciphertext does not shrink further at any. */
const compressionLevel = 1;

/** Throws where one of the texts is no age recipient. */
export function checkRecipient(recipient: string): void {
  try {
    new Encrypter().addRecipient(recipient);
  } catch (cause) {
    throw new Error("must be a list of age recipients, like age1…", { cause });
  }
}

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

/** Throws DamagedBackup where the bytes are not a backup, or are encrypted to none of these identities. */
export async function* unpack(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Uint8Array> {
  const { start, all } = await peek(bytes, ageStart.length);
  const isEncrypted = start.toString("latin1") === ageStart;
  const compressed = isEncrypted ? await decrypt(all, identities) : all;
  if (!isEncrypted && !start.subarray(0, gzipStart.length).equals(gzipStart)) {
    throw new DamagedBackup("this is no backup of mls-relay");
  }
  try {
    yield* through(compressed, createGunzip());
  } catch (cause) {
    throw cause instanceof DamagedBackup ? cause : new DamagedBackup("the backup is damaged or cut off", { cause });
  }
}

/** The identities in a file as age-keygen writes it: one a line, beside comments. */
export async function readIdentities(file: string): Promise<string[]> {
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  const identities = lines.filter((line) => line.startsWith("AGE-SECRET-KEY-"));
  if (identities.length === 0) throw new Error(`${file} holds no age identity (AGE-SECRET-KEY-…)`);
  return identities;
}

async function decrypt(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  if (identities.length === 0)
    throw new DamagedBackup("the backup is encrypted: name the age identity to read it with");
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    return (await decrypter.decrypt(asStream(bytes))) as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new DamagedBackup("the backup is not encrypted to this age identity", { cause });
  }
}

/** The first bytes, and a source that begins with them. */
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

/** What comes out of the transform; a failure on either side is thrown here. */
async function* through(bytes: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const ended = pipeline(Readable.from(bytes), transform);
  // Thrown by the loop below as well.
  ended.catch(() => undefined);
  try {
    yield* transform as AsyncIterable<Uint8Array>;
    await ended;
  } finally {
    transform.destroy();
  }
}

/** The library takes the standard's streams, which Node.js declares apart. */
function asStream(bytes: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(bytes) as unknown as globalThis.ReadableStream<Uint8Array>;
}
