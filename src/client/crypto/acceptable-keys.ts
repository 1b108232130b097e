// Which Ed25519 keys libraries accept alike.

import { isAcceptableKey as isAcceptable } from "../../protocol/signature.js";

/** Whether 32 bytes are the canonical encoding of a point of the curve that is not of small order. */
export function isAcceptableKey(publicKey: Uint8Array): boolean {
  return isAcceptable(publicKey);
}
