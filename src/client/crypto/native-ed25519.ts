// Ed25519 of Node.js, which needs a tenth of the time that JavaScript takes. Web Crypto has it too, but makes the caller wait for another thread.

import { concatBytes, equalBytes } from "../../protocol/encodings.js";
import { builtinModule } from "../runtime/builtin-module.js";
import { bytesIn, type NativeKeys, privateKeyFrom, publicKeyFrom } from "./native-keys.js";

interface NativeEd25519 {
  /** `key` is in PKCS #8 (RFC 8410). */
  sign(key: Uint8Array, message: Uint8Array): Uint8Array;
  /** Whether the equation holds without the cofactor, with canonical R and S. Throws if the key does not have 32 bytes. */
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** The part of Node's crypto that is used here. */
interface NativeSignatures extends NativeKeys {
  sign(algorithm: null, message: Uint8Array, key: object): Uint8Array;
  verify(algorithm: null, message: Uint8Array, key: object, signature: Uint8Array): boolean;
}

const keyBytes = 32;
/** What comes before a secret key in PKCS #8 (RFC 8410). */
const pkcs8Head = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);
const pkcs8Bytes = pkcs8Head.length + keyBytes;
/** What comes before a public key in a SubjectPublicKeyInfo (RFC 8410). */
const spkiHead = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0);

let known: NativeEd25519 | undefined;

/** Undefined in a browser. */
export function nativeEd25519(): NativeEd25519 | undefined {
  const native = builtinModule<NativeSignatures>("node:crypto");
  if (native !== undefined) known ??= remembering(native);
  return known;
}

/** Reading a key takes as long as signing with it, so an array is read once. */
function remembering(native: NativeSignatures): NativeEd25519 {
  const keys = new WeakMap<Uint8Array, object>();
  const remembered = (bytes: Uint8Array, read: () => object): object => {
    const key = keys.get(bytes) ?? read();
    keys.set(bytes, key);
    return key;
  };
  const readsJwk = readsSecretsAlone(native);
  const privateKeyOf = (key: Uint8Array) => (readsJwk ? fromJwk(native, key) : fromPkcs8(native, key));
  const publicKeyOf = (key: Uint8Array) => {
    if (key.length !== keyBytes) throw new Error("the public key has another length");
    return readsJwk
      ? publicKeyFrom(native, "Ed25519", key)
      : native.createPublicKey({ key: concatBytes(spkiHead, key), format: "der", type: "spki" });
  };
  return {
    sign: (key, message) =>
      new Uint8Array(
        native.sign(
          null,
          message,
          remembered(key, () => privateKeyOf(key)),
        ),
      ),
    verify: (key, message, signature) =>
      native.verify(
        null,
        message,
        remembered(key, () => publicKeyOf(key)),
        signature,
      ),
  };
}

/**
 * A signature depends on the public key too, and two of one message with different ones would give the secret key away. So a platform
 * has to show once that it works the public key out, instead of taking the one that it is given.
 */
function readsSecretsAlone(native: NativeSignatures): boolean {
  const [key, message] = [concatBytes(pkcs8Head, new Uint8Array(keyBytes).fill(1)), Uint8Array.of(1)];
  const expected = native.sign(null, message, fromPkcs8(native, key));
  try {
    const secretKey = privateKeyFrom(native, "Ed25519", key.subarray(-keyBytes));
    const publicKey = publicKeyFrom(native, "Ed25519", bytesIn(native.createPublicKey(secretKey)).public);
    return (
      equalBytes(native.sign(null, message, secretKey), expected) && native.verify(null, message, publicKey, expected)
    );
  } catch {
    return false;
  }
}

function fromJwk(native: NativeSignatures, pkcs8: Uint8Array): object {
  if (pkcs8.length !== pkcs8Bytes) return fromPkcs8(native, pkcs8);
  return privateKeyFrom(native, "Ed25519", pkcs8.subarray(-keyBytes));
}

function fromPkcs8(native: NativeSignatures, key: Uint8Array): object {
  return native.createPrivateKey({ key, format: "der", type: "pkcs8" });
}
