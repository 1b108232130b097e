// Linking a new device to a user's existing one (specification, "Device linking").
//
// The new device shows a QR code with an ephemeral Ed25519 key. The existing device scans it and encrypts the payload
// to that key: an X25519 agreement with a second ephemeral key, HKDF-SHA256, ChaCha20-Poly1305. Anyone who knows the
// key in the QR code, such as the relay, could send a payload, too. So both devices show a short code, derived from the
// agreed secret and both keys, and the user compares the two before the payload is used. A man in the middle shares a
// different secret with each side and cannot try keys until the codes match.

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";
import { x25519, x25519KeyOf, x25519SecretOf } from "../crypto/x25519.js";
import { demandParsed, MalformedError } from "../runtime/json-shape.js";
import { runtimeWith } from "../runtime/runtime.js";
import { comparisonCode } from "./comparison-code.js";
import { type LinkingQr, linkingKeyBytes } from "./linking-qr.js";

/** An encrypted payload, and the code to show. */
interface SealedLinkingPayload {
  /** For the relay, in base64. */
  ciphertext: string;
  code: string;
}

/** A received payload. It is accessible only once the user has confirmed that both devices show the same code. */
export interface ReceivedLinkingPayload {
  code: string;
  /** Call this only after the user has compared the codes. */
  payloadAfterComparison(): Uint8Array;
}

const formVersion = 1;
const codeBytes = 5;
const context = "mls-relay device linking 1";
/** Each key encrypts one message, so the nonce may be constant. */
const nonce = new Uint8Array(12);

/** Encrypts a payload to the new device. */
export function sealLinkingPayload(
  payload: Uint8Array,
  { ephemeralPublicKey, provisioningAddress }: Pick<LinkingQr, "ephemeralPublicKey" | "provisioningAddress">,
  randomBytes = runtimeWith().randomBytes,
): SealedLinkingPayload {
  const secret = randomBytes(linkingKeyBytes);
  const senderKey = x25519.getPublicKey(secret);
  const { key, code } = agreeWith(ephemeralPublicKey, secret, senderKey);
  const sealed = chacha20poly1305(key, nonce, utf8(provisioningAddress)).encrypt(payload);
  return { ciphertext: encodeBase64(concatBytes(Uint8Array.of(formVersion), senderKey, sealed)), code };
}

/** Decrypts a payload. Throws MalformedError if it is not for these keys and this address. */
export function openLinkingPayload(
  ciphertext: string,
  { secretKey, provisioningAddress }: { secretKey: Uint8Array; provisioningAddress: string },
): ReceivedLinkingPayload {
  const bytes = demandParsed(ciphertext, decodeBase64, "the payload");
  if (bytes[0] !== formVersion) throw new MalformedError("the payload has an unknown version");
  const senderKey = bytes.slice(1, 1 + linkingKeyBytes);
  try {
    const secret = x25519SecretOf(secretKey);
    const { key, code } = agree({ secret, theirs: senderKey, senderKey, recipientKey: x25519.getPublicKey(secret) });
    const payload = chacha20poly1305(key, nonce, utf8(provisioningAddress)).decrypt(
      bytes.subarray(1 + linkingKeyBytes),
    );
    return { code, payloadAfterComparison: () => payload };
  } catch {
    throw new MalformedError("the payload cannot be decrypted by this device");
  }
}

interface Agreement {
  secret: Uint8Array;
  theirs: Uint8Array;
  senderKey: Uint8Array;
  recipientKey: Uint8Array;
}

function agree({ secret, theirs, senderKey, recipientKey }: Agreement): { key: Uint8Array; code: string } {
  const shared = x25519.getSharedSecret(secret, theirs);
  const info = concatBytes(utf8(context), senderKey, recipientKey);
  const material = hkdf(sha256, shared, undefined, info, linkingKeyBytes + codeBytes);
  return { key: material.slice(0, linkingKeyBytes), code: comparisonCode(material.slice(linkingKeyBytes)) };
}

/** Some encodings are not a key, or are a key with which everyone agrees on the same secret. */
function agreeWith(ephemeralPublicKey: Uint8Array, secret: Uint8Array, senderKey: Uint8Array) {
  try {
    const recipientKey = x25519KeyOf(ephemeralPublicKey);
    return agree({ secret, theirs: recipientKey, senderKey, recipientKey });
  } catch {
    throw new MalformedError("ephemeral_public_key is not an Ed25519 key");
  }
}
