import { isBase64Form } from "../../protocol/encodings.js";

/** The part of a regular expression that compiled validators use. */
interface TextPattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The regular expression of a pattern of the contract. For Base64, by far the longest text that is checked, a function
 * decides the same in a fraction of the time.
 */
export function textPattern(pattern: string, flags: string): TextPattern {
  if (pattern !== base64Form) return new RegExp(pattern, flags);
  return { test: isBase64Form, toString: () => `/${pattern}/${flags}` };
}

const base64Form = "^[A-Za-z0-9+/]*={0,2}$";
