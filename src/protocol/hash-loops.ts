import { fourChains, oneChain } from "../../generated/delay-proof.js";
import { decodeBase64 } from "./encodings.js";

/** The hash loop of the delay proof for one chain, as WebAssembly; `scripts/generate/delay-proof.ts` is its source. */
export function loopOfOneChain(): Promise<ArrayBuffer> {
  return inflate(oneChain);
}

/** The same for four chains at once, by SIMD. */
export function loopOfFourChains(): Promise<ArrayBuffer> {
  return inflate(fourChains);
}

function inflate(base64: string): Promise<ArrayBuffer> {
  const deflated = new Blob([new Uint8Array(decodeBase64(base64) ?? [])]);
  return new Response(deflated.stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}
