import { mebibyte } from "./units.js";

/** The most bytes of ciphertext, added up over the recipients of a message to many, that count as one message. */
export const bytesPerMessage = mebibyte;
