import { fourChains, oneChain } from "../../generated/delay-proof.js";
import { decodeBase64 } from "./encodings.js";

/** The hash loop of the delay proof for one chain, as WebAssembly; `scripts/generate/delay-proof.ts` is its source. */
export function loopOfOneChain(): Uint8Array<ArrayBuffer> {
  return bytesOf(oneChain);
}

/** The same for four chains at once, by SIMD. */
export function loopOfFourChains(): Uint8Array<ArrayBuffer> {
  return bytesOf(fourChains);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decodeBase64(base64) ?? []);
}
