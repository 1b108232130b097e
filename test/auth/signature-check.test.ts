import { randomBytes } from "node:crypto";
import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/auth/signature-check.js";
import { verifyCiphertext } from "../../src/client/crypto/message-signatures.js";
import { concatBytes, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf, sign, verifyBytes } from "../../src/protocol/signature.js";

ed25519.hashes.sha512 = sha512;

const { Point } = ed25519;
const { n: order, p: fieldPrime } = Point.CURVE();
const text = "7f:1700000000";
const tries = 64;

/** A point of order 8, and by its multiples every other point of small order. */
const torsion = Point.fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");

interface Case {
  key: Uint8Array;
  signature: Uint8Array;
}

/** What the relay and what the client library say of a signature. In Node.js, the latter must say the same as in a browser. */
function results({ key, signature }: Case): { relay: boolean; client: boolean } {
  const inHex = encodeHex(signature);
  const client = verifyBytes(key, utf8(text), inHex);
  if (key.length === 32) expect(verifyCiphertext(key, { ciphertext: utf8(text), senderSignature: inHex })).toBe(client);
  return { relay: verifySignature(key, text, inHex), client };
}

/** A signature by someone who knows the scalar of a key to which a point of small order was added, R likewise. */
function signedWithTorsion({ keyTimes, pointTimes }: { keyTimes: number; pointTimes: number }): Case & { k: bigint } {
  const [a, r] = [scalar(randomBytes(64)), scalar(randomBytes(64))];
  const key = withTorsion(Point.BASE.multiply(a), keyTimes).toBytes();
  const point = withTorsion(Point.BASE.multiply(r), pointTimes).toBytes();
  const k = scalar(sha512(concatBytes(point, key, utf8(text))));
  return { key, signature: concatBytes(point, littleEndian((r + k * a) % order)), k };
}

function withTorsion(point: ed25519.Point, times: number): ed25519.Point {
  return times === 0 ? point : point.add(torsion.multiply(BigInt(times), false));
}

describe("a signature that an honest signer makes", () => {
  test("is accepted, and not with a bit turned, as the library has it", () => {
    const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(secrets, fc.string({ unit: "grapheme" }), fc.nat({ max: 511 }), (secret, signed, bit) => {
        const key = publicKeyOf(secret);
        const signature = sign(secret, signed);
        expect(verifySignature(key, signed, signature)).toBe(true);
        expect(verifySignature(key, signed, signature.toUpperCase())).toBe(true);
        const turned = Uint8Array.from(Buffer.from(signature, "hex"));
        turned[bit >> 3] = (turned[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(verifySignature(key, signed, encodeHex(turned))).toBe(verifyBytes(key, utf8(signed), encodeHex(turned)));
      }),
      { numRuns: 25 },
    );
  });
});

describe("refused by both", () => {
  const secret = Uint8Array.from(randomBytes(32));
  const [key, good] = [publicKeyOf(secret), Uint8Array.from(Buffer.from(sign(secret, text), "hex"))];
  const both = { relay: false, client: false };

  test("a key of small order, in every encoding, with every R of small order", () => {
    const encodings = smallOrderEncodings();
    expect(encodings).toHaveLength(14);
    for (const small of encodings) {
      for (const point of encodings) {
        const signature = concatBytes(point, new Uint8Array(32));
        expect(results({ key: small, signature }), encodeHex(concatBytes(small, point))).toEqual(both);
      }
    }
  });

  test("an S that is not below the group order", () => {
    const s = fromLittleEndian(good.subarray(32));
    for (let times = 1n; s + times * order < 2n ** 256n; times++) {
      const signature = concatBytes(good.subarray(0, 32), littleEndian(s + times * order));
      expect(results({ key, signature })).toEqual(both);
    }
  });

  test("an R whose encoding is not canonical, though the equation holds for its point", () => {
    // R is the identity, so S = k * a; y = 1 is written as p + 1, or with a sign although x is 0.
    const a = secretScalar(secret);
    for (const point of [littleEndian(fieldPrime + 1n), littleEndian(1n + 2n ** 255n)]) {
      const k = scalar(sha512(concatBytes(point, key, utf8(text))));
      expect(results({ key, signature: concatBytes(point, littleEndian((k * a) % order)) })).toEqual(both);
    }
  });

  test("a key that is no point, or of another length, and a signature that is no 64 bytes of hexadecimal", () => {
    for (const wrong of [littleEndian(2n), key.subarray(1), concatBytes(key, key), new Uint8Array(0)]) {
      expect(results({ key: wrong, signature: good })).toEqual(both);
    }
    for (const wrong of ["", "00", "g".repeat(128), "0".repeat(126), `${encodeHex(good)}00`]) {
      expect(verifySignature(key, text, wrong)).toBe(false);
    }
  });
});

describe("with a part of small order in key or R, which no honest signer has", () => {
  test.each([
    { keyTimes: 1, pointTimes: 0 },
    { keyTimes: 4, pointTimes: 0 },
    { keyTimes: 0, pointTimes: 1 },
    { keyTimes: 0, pointTimes: 4 },
    { keyTimes: 1, pointTimes: 1 },
  ])("relay and client accept only what holds without the cofactor: %o", (times) => {
    for (let i = 0; i < tries; i++) {
      const signed = signedWithTorsion(times);
      // S·B = R + k·A, of which the small part is (pointTimes + k * keyTimes) times a point of order 8.
      const holds = (BigInt(times.pointTimes) + signed.k * BigInt(times.keyTimes)) % 8n === 0n;
      expect(results(signed)).toEqual({ relay: holds, client: holds });
    }
  });
});

/** The points of small order in every encoding that a lax decoder takes. */
function smallOrderEncodings(): Uint8Array[] {
  const sign = 2n ** 255n;
  const ordinates = Array.from({ length: 8 }, (_, i) => (i === 0 ? Point.ZERO : torsion.multiply(BigInt(i), false)).y);
  const canonical = new Set(ordinates);
  const lax = [...canonical].flatMap((y) => (y + fieldPrime < sign ? [y, y + fieldPrime] : [y]));
  return lax.flatMap((y) => [littleEndian(y), littleEndian(y + sign)]);
}

function secretScalar(secret: Uint8Array): bigint {
  const half = sha512(secret).slice(0, 32);
  half[0] = (half[0] as number) & 248;
  half[31] = ((half[31] as number) & 127) | 64;
  return fromLittleEndian(half) % order;
}

function scalar(bytes: Uint8Array): bigint {
  return fromLittleEndian(bytes) % order;
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(Uint8Array.from(bytes).reverse())}`);
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex")).reverse();
}
