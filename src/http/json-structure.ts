export interface JsonBounds {
  /** Deepest nesting. */
  jsonMaxDepth: number;
  /** Most values, of whatever kind: members of objects and items of arrays at every depth. */
  jsonMaxValues: number;
}

/**
 * What is wrong with the structure of a JSON text, or null. It is looked at before parsing, so that a body of nothing but
 * brackets or digits can take neither a hundred times its size in memory nor the event loop for seconds. Follows the
 * structure outside of strings; a string is skipped by a search for its end.
 */
export function structureFault(text: string, { jsonMaxDepth, jsonMaxValues }: JsonBounds): string | null {
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
    if (depth > jsonMaxDepth) return `must not be nested deeper than ${jsonMaxDepth} levels`;
    if (values > jsonMaxValues) return `must not hold more than ${jsonMaxValues} values`;
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
