import { isUtf8 } from "node:buffer";
import { RelayError } from "../../protocol/errors.js";

export interface JsonBounds {
  /** Maximum depth of nesting. */
  jsonMaxDepth: number;
  /** Maximum number of values of any kind: members of objects and items of arrays at every depth. */
  jsonMaxValues: number;
}

/**
 * Parses a JSON body after checking its structure. U+0000 and lone surrogates are refused, because no text column of
 * the database can hold them. The member `itemsCheckedApart` of the body is not searched for them: its items are
 * checked one by one later, so one bad item does not cause the others to be refused.
 *
 * @throws RelayError INVALID_REQUEST
 */
export function parseJson(
  bytes: Buffer,
  options: JsonBounds & { itemsCheckedApart?: string | null | undefined },
): unknown {
  refuseOtherEncodings(bytes);
  const text = bytes.toString("utf8");
  const fault = structureFault(text, options);
  if (fault !== null) throw malformed(fault);
  const value = parse(text);
  if (mayEscapeUnstorableText(text) && holdsUnstorableText(without(value, options.itemsCheckedApart))) {
    throw malformed(problems.unstorable);
  }
  return value;
}

/** What may be wrong with a body as JSON. */
export const problems = {
  notJson: "is not valid JSON",
  unstorable: "must not contain U+0000 or half of a surrogate pair",
  depth: ({ jsonMaxDepth }: JsonBounds): string => `must not be nested deeper than ${jsonMaxDepth} levels`,
  values: ({ jsonMaxValues }: JsonBounds): string => `must not hold more than ${jsonMaxValues} values`,
};

/** Throws INVALID_REQUEST if a body is not UTF-8. */
export function refuseOtherEncodings(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw malformed("must be UTF-8");
}

/** The error for a body that is wrong as a whole. */
export function malformed(problem: string): RelayError {
  return new RelayError("INVALID_REQUEST", `the body ${problem}`, {
    extras: { details: [{ path: "body", message: problem }] },
  });
}

/** JSON.parse. Its own message quotes the body, so it is dropped: it must not reach the log. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(problems.notJson);
  }
}

function mayEscapeUnstorableText(text: string): boolean {
  return text.includes("\\u") && /\\u(?:0000|d[89a-f])/i.test(text);
}

/** With the flag, only a surrogate without its other half matches. */
const unstorableText = /\0|\p{Surrogate}/u;

/** The value without one of its members. */
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

/**
 * Returns what is wrong with the structure of a JSON text, or null. This runs before parsing, because a body made only
 * of brackets or digits would take a hundred times its size in memory and block the event loop for seconds. It follows
 * the structure outside of strings, and skips a string by searching for its end.
 */
function structureFault(text: string, bounds: JsonBounds): string | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values++;
    else if (code === openBrace || code === openBracket) {
      depth++;
      values++;
    } else if (code === closeBrace || code === closeBracket) depth--;
    if (depth > bounds.jsonMaxDepth) return problems.depth(bounds);
    if (values > bounds.jsonMaxValues) return problems.values(bounds);
  }
  return null;
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

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
