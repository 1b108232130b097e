// Ed25519 of Node.js, which needs a tenth of the time that JavaScript takes. Web Crypto has it too, but makes the caller wait for another thread.

import { builtinModule } from "../runtime/builtin-module.js";
import { type NativeKeys, privateKeyFrom, publicKeyFrom } from "./native-keys.js";

interface NativeEd25519 {
  /** `key` is in PKCS #8 (RFC 8410), without attributes or public key. */
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
const pkcs8Bytes = 48;

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
  const privateKeyOf = (key: Uint8Array) => {
    if (key.length !== pkcs8Bytes) throw new Error("the private key has another form");
    return privateKeyFrom(native, "Ed25519", key.subarray(-keyBytes));
  };
  const publicKeyOf = (key: Uint8Array) => {
    if (key.length !== keyBytes) throw new Error("the public key has another length");
    return publicKeyFrom(native, "Ed25519", key);
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
