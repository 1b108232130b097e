// The file of a backup, version 1: the text `mls-relay backup`, a byte with the version, a salt of 32 bytes, and chunks of 64 KiB, each sealed by
// ChaCha20-Poly1305. The key is HKDF-SHA-256 of the file key with this salt; the nonce is the number of the chunk in 11 bytes, and a byte that is 1 for the last one;
// the additional data is all that stands before the chunks. The content is one JSON record a line.

import { decrypt, encrypt, tagBytes } from "../../client/crypto/chacha.js";
import { hkdfSha256Expand, hkdfSha256Extract } from "../../client/index.js";
import { concatBytes, decodeHex, equalBytes, utf8 } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { RecoveryError } from "./recovery-error.js";

const titleText = "mls-relay backup";
const version = 1;
const saltBytes = 32;
const headBytes = titleText.length + 1 + saltBytes;
const chunkBytes = 64 * 1024;
const newline = 10;
/** Far more than a message has. */
const maxLineBytes = 4 * 1024 * 1024;

const title = utf8(titleText);

/** Encrypts records one after another. */
export async function* sealBackup(
  records: AsyncIterable<object>,
  { fileKey, randomBytes }: { fileKey: string; randomBytes: (length: number) => Uint8Array },
): AsyncGenerator<Uint8Array> {
  const head = concatBytes(title, Uint8Array.of(version), randomBytes(saltBytes));
  const seal = sealerOf(head, fileKey);
  yield head;
  let chunk = new Uint8Array(chunkBytes);
  let filled = 0;
  for await (const record of records) {
    const line = concatBytes(encodeRecord(record), Uint8Array.of(newline));
    for (let at = 0; at < line.length; ) {
      if (filled === chunkBytes) {
        yield concatBytes(...seal(chunk, false));
        chunk = new Uint8Array(chunkBytes);
        filled = 0;
      }
      const part = line.subarray(at, at + chunkBytes - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  yield concatBytes(...seal(chunk.subarray(0, filled), true));
}

/** The records of a backup, in order. Throws RecoveryError, also if the end is missing. */
export async function* openBackup<T>(source: AsyncIterable<Uint8Array>, fileKey: string): AsyncGenerator<T> {
  let line: Uint8Array = new Uint8Array();
  for await (const content of contentOf(source, fileKey)) {
    let from = 0;
    for (let at = content.indexOf(newline); at >= 0; at = content.indexOf(newline, from)) {
      yield decodeRecord<T>(concatBytes(line, content.subarray(from, at)));
      line = new Uint8Array();
      from = at + 1;
    }
    line = concatBytes(line, content.subarray(from));
    if (line.length > maxLineBytes) throw new RecoveryError("damaged");
  }
  if (line.length > 0) throw new RecoveryError("damaged");
}

async function* contentOf(source: AsyncIterable<Uint8Array>, fileKey: string): AsyncGenerator<Uint8Array> {
  let open: ReturnType<typeof openerOf> | undefined;
  let arrived: Uint8Array = new Uint8Array();
  const sealedBytes = chunkBytes + tagBytes;
  for await (const given of source) {
    // A source may give a whole file at once.
    for (let from = 0; from < given.length; from += sealedBytes) {
      arrived = concatBytes(arrived, given.subarray(from, from + sealedBytes));
      if (open === undefined && arrived.length >= headBytes) {
        open = openerOf(headOf(arrived), fileKey);
        arrived = arrived.slice(headBytes);
      }
      // The last chunk is another one than those before it, so it waits for what follows.
      while (open !== undefined && arrived.length > sealedBytes) {
        yield open(arrived.subarray(0, sealedBytes), false);
        arrived = arrived.slice(sealedBytes);
      }
    }
  }
  if (open === undefined) throw new RecoveryError("damaged");
  yield open(arrived, true);
}

function headOf(bytes: Uint8Array): Uint8Array {
  if (!equalBytes(bytes.subarray(0, title.length), title)) throw new RecoveryError("damaged");
  if (bytes[title.length] !== version) throw new RecoveryError("version");
  return bytes.slice(0, headBytes);
}

function sealingsOf(head: Uint8Array, fileKey: string) {
  const secret = hkdfSha256Extract(head.subarray(headBytes - saltBytes), decodeHex(fileKey) ?? new Uint8Array());
  const key = hkdfSha256Expand(secret, utf8("mls-relay backup 1"), 32);
  let index = 0;
  return (isLast: boolean) => {
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setUint32(7, index);
    nonce[11] = isLast ? 1 : 0;
    index += 1;
    return { key, nonce, bound: head };
  };
}

function sealerOf(head: Uint8Array, fileKey: string) {
  const next = sealingsOf(head, fileKey);
  return (chunk: Uint8Array, isLast: boolean) => encrypt(next(isLast), chunk);
}

function openerOf(head: Uint8Array, fileKey: string) {
  const next = sealingsOf(head, fileKey);
  let isFirst = true;
  return (sealed: Uint8Array, isLast: boolean) => {
    const content = decrypt(next(isLast), sealed);
    // Nothing of it opens with another key; what opens at first was damaged later.
    if (content === undefined) throw new RecoveryError(isFirst && !isLast ? "otherKey" : "damaged");
    isFirst = false;
    return content;
  };
}
