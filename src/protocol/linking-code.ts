// The short code by which a person names a new device to another one, like K7QM-2XWD, if nothing can scan its QR code.

import { crockfordLetters, readCrockford } from "./crockford.js";

const length = 8;
const bitsEach = 5n;
export const linkingCodeBytes = (length * Number(bitsEach)) / 8;

const form = new RegExp(`^[${crockfordLetters}]{${length}}$`);

/** Makes a code of five random bytes. */
export function linkingCodeOf(bytes: Uint8Array): string {
  const number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const letterAt = (at: number) =>
    crockfordLetters.charAt(Number((number >> (bitsEach * BigInt(length - 1 - at))) % 32n));
  return Array.from({ length }, (_, at) => letterAt(at)).join("");
}

/** The canonical spelling of a typed code; undefined if it is none. */
export function parseLinkingCode(typed: string): string | undefined {
  const code = readCrockford(typed.trim());
  return form.test(code) ? code : undefined;
}

/** As it is shown. */
export function shownLinkingCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}
