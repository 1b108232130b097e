// The functions of Node.js for the cipher suite of ts-mls, which encrypt and sign without another thread.

import type { CiphersuiteImpl } from "ts-mls";
import { nativeCipher } from "../../client/crypto/native-ciphers.js";
import { nativeEd25519 } from "../../client/crypto/native-ed25519.js";
import { concatBytes } from "../../protocol/encodings.js";

/** What messages need of the suite. `ts-mls-hpke.ts` has the rest. */
export type MessageSuite = Omit<CiphersuiteImpl, "hpke"> & {
  hpke: Pick<CiphersuiteImpl["hpke"], "encryptAead" | "decryptAead" | "keyLength" | "nonceLength">;
};

/** The same suite with those functions that this platform has. */
export function withNative(suite: MessageSuite): MessageSuite {
  const { signature, hpke } = suite;
  return { ...suite, signature: { ...signature, ...signing() }, hpke: { ...hpke, ...encrypting() } };
}

function encrypting(): Partial<MessageSuite["hpke"]> {
  const cipher = nativeCipher("aes-128-gcm");
  if (cipher === undefined) return {};
  return {
    async encryptAead(key, nonce, ...[bound = new Uint8Array(), plaintext]) {
      return concatBytes(...cipher.encrypt({ key, nonce, bound }, plaintext));
    },
    async decryptAead(key, nonce, ...[bound = new Uint8Array(), sealed]) {
      return new Uint8Array(cipher.decrypt({ key, nonce, bound }, sealed));
    },
  };
}

function signing(): Partial<Pick<CiphersuiteImpl["signature"], "sign" | "verify">> {
  const native = nativeEd25519();
  if (native === undefined) return {};
  return {
    sign: async (key, message) => native.sign(key, message),
    verify: async (key, message, signature) => native.verify(key, message, signature),
  };
}
