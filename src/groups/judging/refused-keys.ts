// Which keys and signatures all members accept alike, whatever platform checks them.

import type { CiphersuiteImpl } from "ts-mls";
import { isAcceptableKey } from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";

type Signing = CiphersuiteImpl["signature"];

const keyBytes = 32;
const signatureBytes = 64;
const prime = 2n ** 255n - 19n;
/** Coordinates of the points of X25519 with which every key agrees on zeros (RFC 7748, section 6.1): sealing to them fails. */
const smallOrder = new Set([
  0n,
  1n,
  prime - 1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723061781553021112529911719440698176882885853963445705823n,
]);
/** First halves of a signature that some platforms refuse and others accept. */
const smallOrderPoints = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]);

/** Whether everybody can seal to this public key of X25519. */
export function isUsableKey(key: Uint8Array): boolean {
  if (key.length !== keyBytes) return false;
  // The highest bit is ignored (RFC 7748, section 5).
  const coordinate = BigInt(`0x${encodeHex(key.toReversed())}`) & (2n ** 255n - 1n);
  return !smallOrder.has(coordinate % prime);
}

const known = new Map<string, boolean>();
const maxKnown = 10_000;

function isAcceptable(key: Uint8Array): boolean {
  const name = encodeHex(key);
  const remembered = known.get(name);
  if (remembered !== undefined) return remembered;
  if (known.size >= maxKnown) known.clear();
  const holds = isAcceptableKey(key);
  known.set(name, holds);
  return holds;
}

/**
 * Platforms check the equation of Ed25519 without the cofactor, and differ in points of small order, so those are refused first: otherwise a member could
 * sign a commit that counts in a browser and not in Node.js.
 */
export function withStrictSignatures(signing: Signing): Signing {
  return {
    ...signing,
    verify: async (key, message, signature) => {
      if (key.length !== keyBytes || signature.length !== signatureBytes || !isAcceptable(key)) return false;
      if (smallOrderPoints.has(encodeHex(signature.subarray(0, keyBytes)))) return false;
      return signing.verify(key, message, signature);
    },
  };
}
