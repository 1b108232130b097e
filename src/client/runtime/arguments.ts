// Checks of the application's arguments. TypeScript finds most mistakes before a program runs; for programs in
// JavaScript, these checks find them before a proof is computed, a key package is taken, or a request is sent. The
// errors name the argument and describe what it is instead, but never contain its value, which may be a key.

import { isAddress, parseDeviceId, parseMessageId, parsePrefix } from "../../protocol/identifiers.js";

/** Throws a TypeError `<what> must be <expected>, not <what it is>` unless the condition holds. */
export function demand(holds: boolean, value: unknown, { what, expected }: Expectation): void {
  if (!holds) throw new TypeError(`${what} must be ${expected}, not ${describe(value)}`);
}

interface Expectation {
  /** Names the argument. */
  what: string;
  expected: string;
}

/** A Uint8Array; a Node.js Buffer is one, too. */
export function demandBytes(value: unknown, what: string, length?: number): void {
  const expected = `a Uint8Array${length === undefined ? "" : ` of ${length} bytes`}`;
  demand(isBytes(value) && (length === undefined || value.length === length), value, { what, expected });
}

export function demandNonEmptyBytes(value: unknown, what: string): void {
  demand(isBytes(value) && value.length > 0, value, { what, expected: "a Uint8Array with at least one byte" });
}

export function demandString(value: unknown, what: string): void {
  demand(typeof value === "string" && value !== "", value, { what, expected: "a string that is not empty" });
}

export function demandFunction(value: unknown, what: string): void {
  demand(typeof value === "function", value, { what, expected: "a function" });
}

export function demandOptions(value: unknown, what: string): void {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !isBytes(value);
  demand(isObject, value, { what, expected: "an object" });
}

/** A whole number in a range. */
export function demandNumber(value: unknown, what: string, [min, max]: readonly [number, number]): void {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  const holds = Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  demand(holds, value, { what, expected: `a whole number ${range}` });
}

/** What fits into a timer: about 24 days. */
const longestMillis = 2 ** 31 - 1;
const longestSeconds = Math.floor(longestMillis / 1000);

/** A duration in seconds, which may have fractions. */
export function demandSeconds(value: unknown, what: string, min = 0): void {
  demandDuration(value, what, [min, longestSeconds]);
}

/** A duration in milliseconds, which may have fractions. */
export function demandMillis(value: unknown, what: string): void {
  demandDuration(value, what, [0, longestMillis]);
}

function demandDuration(value: unknown, what: string, [min, max]: readonly [number, number]): void {
  const holds = typeof value === "number" && value >= min && value <= max;
  demand(holds, value, { what, expected: `a number from ${min} to ${max}` });
}

/** The range from `min` upwards. */
export function atLeast(min: number): readonly [number, number] {
  return [min, Number.MAX_SAFE_INTEGER];
}

export function demandOneOf(value: unknown, what: string, names: readonly string[]): void {
  const expected = `one of ${names.join(", ")}`;
  demand(typeof value === "string" && names.includes(value), value, { what, expected });
}

/** An array of limited length, 1 at least unless `min` says otherwise; each item is checked under its name, such as `prefixes[2]`. */
export function demandArray(
  value: unknown,
  { what, min = 1, max }: { what: string; min?: number; max: number },
  item: (value: unknown, what: string) => void,
): void {
  const holds = Array.isArray(value) && value.length >= min && value.length <= max;
  demand(holds, value, { what, expected: `an array of ${min} to ${max} items` });
  for (const [index, one] of (value as unknown[]).entries()) item(one, `${what}[${index}]`);
}

/** Checks an optional argument if it is given. */
export function ifGiven<T>(value: T | undefined, check: (value: T) => void): void {
  if (value !== undefined) check(value);
}

export function demandAddress(value: unknown, what: string): void {
  const holds = typeof value === "string" && isAddress(value);
  demand(holds, value, { what, expected: "an address, <prefix>@<domain>" });
}

export function demandPrefix(value: unknown, what: string): void {
  const holds = typeof value === "string" && parsePrefix(value) !== undefined;
  demand(holds, value, { what, expected: "16 bytes as a UUID or as 32 hex digits" });
}

export function demandMessageId(value: unknown, what: string): void {
  demand(typeof value === "string" && parseMessageId(value) !== undefined, value, { what, expected: "a UUIDv7" });
}

export function demandDeviceId(value: unknown, what: string): void {
  const holds = typeof value === "string" && parseDeviceId(value) !== undefined;
  demand(holds, value, { what, expected: "a device id, 64 hex digits" });
}

export function demandSignal(value: unknown, what: string): void {
  const holds = typeof (value as Partial<AbortSignal> | null)?.throwIfAborted === "function";
  demand(holds, value, { what, expected: "an AbortSignal" });
}

/** An HTTP or HTTPS address, without what a relay's address does not have. */
export function demandUrl(value: unknown, what: string): void {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const expected = "an address that begins with https:// or http://, without user, ? and #";
  const isBare = url !== undefined && url.username === "" && url.search === "" && url.hash === "";
  demand(isBare && /^https?:$/.test(url.protocol), value, { what, expected });
}

/** What `connectDevice` or `connectAdmin` returned. */
export function demandClient(value: unknown, what: string): void {
  const holds = typeof (value as { call?: unknown } | undefined | null)?.call === "function";
  demand(holds, value, { what, expected: "a connected client" });
}

/** What `connect` returned. */
export function demandConnection(value: unknown, what: string): void {
  const holds = typeof (value as { callerWith?: unknown } | undefined | null)?.callerWith === "function";
  demand(holds, value, { what, expected: "a connection; that of a device is its `connection`" });
}

/** This tag also works for bytes of another realm, such as a frame or a test environment. */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (isBytes(value)) return `a Uint8Array of ${value.length} bytes`;
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  if (typeof value === "string")
    return `a string of ${value.length} characters${value === "" ? "" : " in another form"}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "object") return `an object of the type ${value.constructor?.name ?? "Object"}`;
  return `a ${typeof value}`;
}
