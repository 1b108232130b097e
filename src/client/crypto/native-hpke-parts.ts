// What HPKE of Node.js shares with the rest of the client. It is passed to it: if it was imported, bundlers would divide an application into more files,
// which are larger together once they are compressed.

import { Aes128Gcm } from "@hpke/core";
import { concatBytes, equalBytes, utf8 } from "../../protocol/encodings.js";
import { builtinModule } from "../runtime/builtin-module.js";
import { nativeCipher } from "./native-ciphers.js";
import { bytesIn, privateKeyFrom, publicKeyFrom } from "./native-keys.js";
import { bufferOf, bytesOf } from "./synchronous-hkdf.js";
import { X25519Dhkem } from "./x25519-dhkem.js";

export const nativeHpkeParts = {
  Aes128Gcm,
  builtinModule,
  bufferOf,
  bytesIn,
  bytesOf,
  concatBytes,
  equalBytes,
  nativeCipher,
  privateKeyFrom,
  publicKeyFrom,
  utf8,
  X25519Dhkem,
};

export type NativeHpkeParts = typeof nativeHpkeParts;
