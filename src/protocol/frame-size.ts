import { kibibyte } from "./units.js";

/** What a frame that pushes a message may have besides the base64 text of its ciphertext. */
const besidesCiphertext = 4 * kibibyte;

/** The greatest frame that a stream sends, in bytes, where ciphertexts have at most so many (spec/asyncapi.yaml, "Limits"). */
export function greatestFrameBytes(maxMessageSize: number): number {
  return 4 * Math.ceil(maxMessageSize / 3) + besidesCiphertext;
}
