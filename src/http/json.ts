import { isUtf8 } from "node:buffer";
import { RelayError } from "../protocol/errors.js";
import { type JsonBounds, structureFault } from "./json-structure.js";

/**
 * Parses a JSON body, whose structure is looked at before (see json-structure.ts). U+0000 and lone surrogates are refused: no
 * text column of the database can hold them. Those in `judgedItems`, a member of the body, are left to who judges these items,
 * so that one bad item does not refuse the others.
 *
 * @throws RelayError INVALID_REQUEST
 */
export function parseJson(
  bytes: Buffer,
  { judgedItems, ...bounds }: JsonBounds & { judgedItems?: string | null | undefined },
): unknown {
  if (!isUtf8(bytes)) throw malformed("must be UTF-8");
  const text = bytes.toString("utf8");
  const fault = structureFault(text, bounds);
  if (fault !== null) throw malformed(fault);
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
