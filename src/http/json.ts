import { isUtf8 } from "node:buffer";
import { RelayError } from "../protocol/errors.js";

/**
 * Parses a JSON body. Depth is counted before parsing, so that a body of nothing but brackets cannot take a hundred
 * times its size in memory. U+0000 and lone surrogates are refused: no text column of the database can hold them. Those in
 * `judgedItems`, a member of the body, are left to who judges these items, so that one bad item does not refuse the others.
 *
 * @throws RelayError INVALID_REQUEST
 */
export function parseJson(
  bytes: Buffer,
  { maxDepth, judgedItems }: { maxDepth: number; judgedItems?: string | null | undefined },
): unknown {
  if (!isUtf8(bytes)) throw malformed("must be UTF-8");
  const text = bytes.toString("utf8");
  if (isDeeperThan(text, maxDepth)) throw malformed(`must not be nested deeper than ${maxDepth} levels`);
  const value = parse(text);
  if (mayEscapeUnstorableText(text) && holdsUnstorableText(without(value, judgedItems))) {
    throw malformed("must not contain U+0000 or half of a surrogate pair");
  }
  return value;
}

/** A body at fault as a whole. */
export function malformed(problem: string): RelayError {
  return new RelayError("INVALID_REQUEST", `The body ${problem}.`, {
    extras: { details: [{ path: "body", message: problem }] },
  });
}

/** The parser's own message quotes the body, so it goes no further, not even into the log. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("is not valid JSON");
  }
}

/** Follows the brackets outside of strings; a string is skipped by a search for its end. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

function mayEscapeUnstorableText(text: string): boolean {
  return text.includes("\\u") && /\\u(?:0000|d[89a-f])/i.test(text);
}

/** With the flag, only a surrogate without its other half matches. */
const unstorableText = /\0|\p{Surrogate}/u;

/** The value without a member of it. */
function without(value: unknown, member: string | null | undefined): unknown {
  if (typeof member !== "string" || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
}

function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === "string") return unstorableText.test(value);
  if (Array.isArray(value)) return value.some(holdsUnstorableText);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => holdsUnstorableText(key) || holdsUnstorableText(member));
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
