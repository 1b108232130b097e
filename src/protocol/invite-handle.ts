// The handle of an invite is its short form for people: 20 characters of Crockford's base32 in groups of four, like
// 3AHR-Z6DM-V29G-QY5C-KT11. Nineteen are random (95 bits); the last one finds a typing error without a request to the database.

import { crockfordLetters, readCrockford } from "./crockford.js";

const randomLength = 19;
const form = /^[0-9A-Za-z]{4}(?:[ -]?[0-9A-Za-z]{4}){4}$/;

/** Whether the text has the form of a handle, which a signed invite never has. */
export function looksLikeHandle(text: string): boolean {
  return form.test(text);
}

/** Makes a handle of 19 random bytes. */
export function newInviteHandle(bytes: Uint8Array): string {
  if (bytes.length !== randomLength) throw new Error(`a handle is made of ${randomLength} bytes`);
  const values = [...bytes].map((byte) => byte % crockfordLetters.length);
  const letters = [...values, checkOf(values)].map((value) => crockfordLetters.charAt(value)).join("");
  return letters.match(/.{4}/g)?.join("-") ?? "";
}

/** The canonical spelling of a typed handle: letters of either case, O for 0, I and L for 1. Undefined for a typing error. */
export function parseInviteHandle(text: string): string | undefined {
  if (!looksLikeHandle(text)) return undefined;
  const letters = readCrockford(text);
  const values = [...letters].map((letter) => crockfordLetters.indexOf(letter));
  if (values.includes(-1) || values.at(-1) !== checkOf(values.slice(0, randomLength))) return undefined;
  return letters.match(/.{4}/g)?.join("-");
}

/** Luhn's algorithm modulo 32: finds every wrong character, and two that changed places except 0 and Z. */
function checkOf(values: readonly number[]): number {
  const size = crockfordLetters.length;
  const sum = values.toReversed().reduce((total, value, i) => {
    const weighted = i % 2 === 0 ? 2 * value : value;
    return total + Math.floor(weighted / size) + (weighted % size);
  }, 0);
  return (size - (sum % size)) % size;
}
