import { createPrivateKey, createPublicKey, sign as nodeSign, verify as nodeVerify } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeHex, encodeBase64, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { isAcceptableKey, isSignatureForm, publicKeyOf, sign, verifyBytes } from "../../src/protocol/signature.js";

// RFC 8032, section 7.1, tests 1 and 2: those whose message is UTF-8.
const vectors = [
  {
    secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    text: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    text: "r",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
];

// The eight points of small order in every encoding that a lax decoder takes.
const smallOrderKeys = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
];
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

test.each(vectors)("the vector of RFC 8032 for the text $text signs and verifies", ({
  secret,
  key,
  text,
  signature,
}) => {
  expect(encodeHex(publicKeyOf(hex(secret)))).toBe(key);
  expect(sign(hex(secret), text)).toBe(signature);
  expect(verifySignature(hex(key), text, signature)).toBe(true);
  expect(verifySignature(hex(key), text, signature.toUpperCase())).toBe(true);
  expect(verifySignature(hex(key), `${text}.`, signature)).toBe(false);
});

test.each(smallOrderKeys)("the key %s of small order is refused, though it verifies anything", (key) => {
  expect(isAcceptableKey(hex(key))).toBe(false);
  const identity = "01".padEnd(64, "0");
  for (const r of [identity, key]) expect(verifySignature(hex(key), "anything", r + "0".repeat(64))).toBe(false);
});

test("a signature whose scalar is not reduced is refused", () => {
  for (const { key, text, signature } of vectors) {
    const scalar = littleEndianToBigInt(signature.slice(64)) + groupOrder;
    expect(verifySignature(hex(key), text, signature.slice(0, 64) + bigIntToLittleEndian(scalar))).toBe(false);
  }
});

test("a point that is not on the curve and a key of the wrong length do not verify", () => {
  const signature = vectors[0]?.signature ?? "";
  expect(verifySignature(hex(`02${"0".repeat(62)}`), "", signature)).toBe(false);
  expect(verifySignature(new Uint8Array(31), "", signature)).toBe(false);
  expect(isAcceptableKey(new Uint8Array(33))).toBe(false);
});

test.each(["", "00", "g".repeat(128), "0".repeat(126)])("the malformed signature %j does not verify", (signature) => {
  expect(verifySignature(hex(vectors[0]?.key ?? ""), "", signature)).toBe(false);
});

test("the platform's own Ed25519 agrees, on signatures as they are and with one bit turned", () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  fc.assert(
    fc.property(bytes(32), fc.string({ unit: "grapheme" }), fc.nat({ max: 511 }), (secret, text, bit) => {
      const signature = hex(sign(secret, text));
      expect(encodeHex(signature)).toBe(nodeSign(null, utf8(text), privateKeyOf(secret)).toString("hex"));
      expect(verifySignature(publicKeyOf(secret), text, encodeHex(signature))).toBe(true);
      signature[bit >> 3] = (signature[bit >> 3] as number) ^ (1 << (bit & 7));
      const theirs = nodeVerify(null, utf8(text), createPublicKey(privateKeyOf(secret)), signature);
      expect(verifySignature(publicKeyOf(secret), text, encodeHex(signature))).toBe(theirs);
    }),
    { numRuns: 25 },
  );
});

test("a sender's signature is 64 bytes as hexadecimal or as padded base64, and nothing else", () => {
  const bytes = new Uint8Array(64).fill(250);
  expect([encodeHex(bytes), encodeHex(bytes).toUpperCase(), encodeBase64(bytes)].map(isSignatureForm)).toEqual([
    true,
    true,
    true,
  ]);
  const wrong = ["", "ff", encodeBase64(bytes.subarray(1)), encodeBase64(new Uint8Array(65)), "g".repeat(128)];
  for (const text of [...wrong, encodeBase64(bytes).replace(/=+$/, ""), encodeBase64(bytes).replaceAll("+", "-")]) {
    expect(isSignatureForm(text), text).toBe(false);
  }
});

function verifySignature(publicKey: Uint8Array, text: string, signature: string): boolean {
  return verifyBytes(publicKey, utf8(text), signature);
}

function hex(text: string): Uint8Array {
  return decodeHex(text) ?? new Uint8Array(0);
}

function privateKeyOf(secret: Uint8Array) {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), secret]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function littleEndianToBigInt(text: string): bigint {
  return BigInt(`0x${encodeHex(hex(text).reverse())}`);
}

function bigIntToLittleEndian(value: bigint): string {
  return encodeHex(hex(value.toString(16).padStart(64, "0")).reverse());
}
