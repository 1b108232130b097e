// Reads JSON from outside: a QR code, a link, a decrypted package. Unknown members are ignored. A missing or malformed member
// is an error that names it.

/** Thrown if input from outside does not have the expected form. */
export class MalformedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedError";
  }
}

export type JsonObject = Record<string, unknown>;

/** The object in a JSON text. `what` names it in errors. */
export function parseJsonObject(text: string, what: string): JsonObject {
  let value: unknown;
  try {
    // Programs that hand text on put a byte order mark before it.
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new MalformedError(`${what} is not JSON`);
  }
  return demandObject(value, what);
}

export function demandObject(value: unknown, what: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new MalformedError(`${what} is not an object`);
}

export function demandList(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new MalformedError(`${what} is not a list`);
}

export function demandText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new MalformedError(`${what} is not a string`);
}

/** A whole number, 0 or greater. */
export function demandCount(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new MalformedError(`${what} is not a whole number`);
}

/** Parses a text. Throws MalformedError if `parse` returns undefined. */
export function demandParsed<T>(value: unknown, parse: (text: string) => T | undefined, what: string): T {
  const parsed = parse(demandText(value, what));
  if (parsed === undefined) throw new MalformedError(`${what} is malformed`);
  return parsed;
}
