// Hexadecimal, base64 and UTF-8, as strict as the contract requires. Parsers return `undefined` for malformed text.
// Everything here also runs in browsers: Buffer is used where there is one, because it is native and fast.

const hexDigits = "0123456789abcdef";
const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Values = new Int8Array(128).map((_, code) => base64Digits.indexOf(String.fromCharCode(code)));
const padding = 0x3d;
const hexForm = /^[0-9a-f]*$/i;
const encoder = new TextEncoder();

/** Lower-case hexadecimal of `bytes`. */
export function encodeHex(bytes: Uint8Array): string {
  const native = nativeBuffer();
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
  let text = "";
  for (const byte of bytes) text += hexDigits.charAt(byte >> 4) + hexDigits.charAt(byte & 15);
  return text;
}

/** The bytes of hexadecimal `text` in either case; `undefined` if it is malformed or not `length` bytes long. */
export function decodeHex(text: string, length?: number): Uint8Array | undefined {
  if (text.length % 2 !== 0 || (length !== undefined && text.length !== 2 * length)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = hexValue(text.charCodeAt(2 * i));
    const low = hexValue(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return undefined;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** `text` in lower case if it is hexadecimal of exactly `length` bytes, else `undefined`. */
export function parseHex(text: string, length: number): string | undefined {
  return text.length === 2 * length && hexForm.test(text) ? text.toLowerCase() : undefined;
}

/** Base64 of `bytes` in the standard alphabet, padded (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  const native = nativeBuffer();
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return btoa(binaryText(bytes));
}

/**
 * The bytes of canonical base64 (RFC 4648, section 4: standard alphabet, padded, unused bits zero), else `undefined`.
 * Canonical means that encoding the answer gives `text` again.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const native = nativeBuffer();
  if (native !== undefined) return decodeNatively(native, text);
  const end = endOfBase64(text);
  if (end === undefined || text.length % 4 !== 0) return undefined;
  const unusedBits = [0, 0b11, 0b1111][text.length - end] ?? 0;
  if (end > 0 && ((base64Values[text.charCodeAt(end - 1)] ?? 0) & unusedBits) !== 0) return undefined;
  return decodePortably(text);
}

/**
 * Whether `text` has the form `^[A-Za-z0-9+/]*={0,2}$`. Canonical base64, as nearly all text is, has it, and native code checks
 * that in a fraction of the time of a regular expression.
 */
export function isBase64Form(text: string): boolean {
  const native = nativeBuffer();
  if (native !== undefined && native.from(text, "base64").toString("base64") === text) return true;
  return endOfBase64(text) !== undefined;
}

/** Number of bytes that canonical base64 of this text's length and padding holds; nothing is decoded. */
export function decodedLength(text: string): number {
  const signs = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor(text.length / 4) * 3 - signs;
}

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Whether two byte strings are equal. Not constant in time: for public values only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Concatenates byte strings. */
export function concatBytes(...arrays: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(arrays.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of arrays) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/**
 * Native decoding skips other characters and accepts other alphabets, so the result must encode to `text` again. Short results share
 * a buffer with unrelated bytes, and `slice` of a Buffer does not copy, so callers get a plain array of their own.
 */
function decodeNatively(native: NativeBuffer, text: string): Uint8Array | undefined {
  const bytes = native.from(text, "base64");
  if (bytes.toString("base64") !== text) return undefined;
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** Where the digits end, if nothing but digits and up to two signs of padding is there. */
function endOfBase64(text: string): number | undefined {
  let end = text.length;
  for (let signs = 0; signs < 2 && text.charCodeAt(end - 1) === padding; signs++) end--;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || (base64Values[code] as number) < 0) return undefined;
  }
  return end;
}

/** The part of Node.js's Buffer that is used here. The client is compiled without the types of Node.js. */
interface NativeBuffer {
  from(bytes: ArrayBufferLike, offset: number, length: number): NativeBytes;
  from(text: string, encoding: "base64"): NativeBytes;
}

interface NativeBytes extends Uint8Array {
  toString(encoding?: "hex" | "base64"): string;
}

function nativeBuffer(): NativeBuffer | undefined {
  return (globalThis as { Buffer?: NativeBuffer }).Buffer;
}

/** Text that a client sent, so that JSON and the database can carry it: U+FFFD where it held U+0000 or half a surrogate pair. */
export function replaceUnstorable(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, "\uFFFD");
}

/** The value of the hexadecimal digit with this character code, in either case; -1 of anything else. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function decodePortably(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** One character per byte; in steps, because a call accepts only a limited number of arguments. */
function binaryText(bytes: Uint8Array): string {
  const step = 8192;
  let text = "";
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return text;
}

/** Whether a value is 32 bytes in hex, as keys, hashes, and the ids of users and devices are. */
export function isHex32(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
