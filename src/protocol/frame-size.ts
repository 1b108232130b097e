import { kibibyte } from "./units.js";

/** What a frame that pushes a message may have besides the base64 text of its ciphertext. */
const besidesCiphertext = 4 * kibibyte;

/**
 * The size of the largest frame that a stream sends, in bytes, for ciphertexts of at most this many bytes
 * (spec/asyncapi.yaml, "Limits").
 */
export function greatestFrameBytes(maxMessageSize: number): number {
  return 4 * Math.ceil(maxMessageSize / 3) + besidesCiphertext;
}
