import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openLinkingPayload, sealLinkingPayload } from "../../src/client/linking/linking-payload.js";
import { newLinkingKeys, readLinkingQr, writeLinkingQr } from "../../src/client/linking/linking-qr.js";
import { MalformedError } from "../../src/client/runtime/json-shape.js";
import { decodeBase64, encodeBase64 } from "../../src/protocol/encodings.js";

const provisioningAddress = "7d444840-9dc0-41d1-b245-5ffdce74fad2@relay.example";
const payload = new TextEncoder().encode('{"user_id":"u"}');

test("the payload of a QR code is written and read until it expires", () => {
  const { publicKey } = newLinkingKeys();
  const qr = { ephemeralPublicKey: publicKey, provisioningAddress, server: "https://relay.example", expiresAt: 1_000 };
  const text = writeLinkingQr(qr);
  expect(Object.keys(JSON.parse(text))).toEqual([
    "ephemeral_public_key",
    "provisioning_address",
    "server",
    "expires_at",
  ]);
  expect(readLinkingQr(text, 999)).toEqual(qr);
  expect(() => readLinkingQr(text, 1_000)).toThrow("expired");
  expect(() => readLinkingQr("{}", 0)).toThrow(MalformedError);
});

test("both devices show the same code, and the payload is given out after that", () => {
  const { secretKey, publicKey } = newLinkingKeys();
  const sealed = sealLinkingPayload(payload, { ephemeralPublicKey: publicKey, provisioningAddress });
  const received = openLinkingPayload(sealed.ciphertext, { secretKey, provisioningAddress });
  expect(sealed.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(received.code).toBe(sealed.code);
  expect(received.payloadAfterComparison()).toEqual(payload);
});

test("a payload that somebody else left shows another code", () => {
  const { secretKey, publicKey } = newLinkingKeys();
  const to = { ephemeralPublicKey: publicKey, provisioningAddress };
  const honest = sealLinkingPayload(payload, to);
  const foreign = openLinkingPayload(sealLinkingPayload(payload, to).ciphertext, { secretKey, provisioningAddress });
  expect(foreign.code).not.toBe(honest.code);
});

test("a payload for other keys, for another address, or changed on the way is refused", () => {
  const { secretKey, publicKey } = newLinkingKeys();
  const { ciphertext } = sealLinkingPayload(payload, { ephemeralPublicKey: publicKey, provisioningAddress });
  const bytes = decodeBase64(ciphertext) as Uint8Array;
  expect(() => openLinkingPayload(ciphertext, { secretKey: randomBytes(32), provisioningAddress })).toThrow(
    MalformedError,
  );
  expect(() => openLinkingPayload(ciphertext, { secretKey, provisioningAddress: "x@y" })).toThrow(MalformedError);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] as number) ^ by;
      // The top bit of an X25519 key means nothing (RFC 7748, section 5), but it is bound by the derivation.
      expect(() => openLinkingPayload(encodeBase64(changed), { secretKey, provisioningAddress })).toThrow(
        MalformedError,
      );
    }),
  );
});

test("a key that everybody agrees with is refused", () => {
  const neutral = new Uint8Array(32);
  neutral[0] = 1;
  for (const ephemeralPublicKey of [neutral, new Uint8Array(32), new Uint8Array(32).fill(255)]) {
    expect(() => sealLinkingPayload(payload, { ephemeralPublicKey, provisioningAddress })).toThrow(MalformedError);
  }
});
