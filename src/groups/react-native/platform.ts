// What the build for React Native puts in place of the platform's globals, which that platform lacks or has in part. The application's own
// globals stay as they are.

import { randomValues, subtle } from "./web-crypto.js";

export { AbortController, AbortSignal, DOMException } from "./abort.js";
export { ReadableStream, Response } from "./streams.js";
export { TextDecoder } from "./text-decoder.js";
export { URL } from "./url.js";

export const crypto = {
  getRandomValues: randomValues,
  get subtle() {
    return subtle();
  },
};

/** The values that are copied are JSON. */
export const structuredClone = <T>(value: T): T => JSON.parse(JSON.stringify(value));
