// Numbers by which two users find out whether a relay stands between them: both devices show the same one only if each has the other's true key.

import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, decodeHex, utf8 } from "../../protocol/encodings.js";

/** They make it dear to look for a key with nearly the same number. */
const rounds = 5_200;
const digitsPerBlock = 5;
const bytesPerBlock = 5;
const blocks = 6;

/** 60 digits in twelve blocks, the same for both users, whose public keys are in hex. */
export function safetyNumberOf(one: string, other: string): string {
  return [one, other].sort().flatMap(blocksOf).join(" ");
}

/** Thirty digits of one user. */
function blocksOf(user: string): string[] {
  const key = decodeHex(user, 32);
  if (key === undefined) throw new TypeError("a user is 64 hex digits");
  let hash: Uint8Array = concatBytes(utf8("mls-relay safety number 1\n"), key);
  for (let round = 0; round < rounds; round++) hash = sha512(concatBytes(hash, key));
  return Array.from({ length: blocks }, (_, at) => {
    const bytes = hash.subarray(at * bytesPerBlock, (at + 1) * bytesPerBlock);
    const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 10 ** digitsPerBlock).padStart(digitsPerBlock, "0");
  });
}
