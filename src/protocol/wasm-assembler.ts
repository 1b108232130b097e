// Just enough of the WebAssembly binary format (core specification 2.0, chapter 5) to write one function over one page of
// memory. Code is a list of bytes, built expression by expression: operands first, then the operation.

export type Code = readonly number[];

/** A value type's operations as the SHA-256 loop needs them: on one 32-bit word, or on four of them side by side. */
export interface Words {
  valueType: number;
  /** Bytes that one value takes in memory. */
  size: number;
  load(address: number): Code;
  store(address: number, value: Code): Code;
  constant(value: number): Code;
  add(a: Code, b: Code): Code;
  xor(a: Code, b: Code): Code;
  and(a: Code, b: Code): Code;
  /** Bit by bit, `a` where the mask has a one and `b` where it has a zero. */
  select(a: Code, b: Code, mask: Code): Code;
  rotateRight(local: number, bits: number): Code;
  shiftRight(local: number, bits: number): Code;
}

const i32 = 0x7f;
const v128 = 0x7b;

/** Operations on one 32-bit word. */
export const scalarWords: Words = {
  valueType: i32,
  size: 4,
  load: (address) => [...i32Constant(0), 0x28, 2, ...unsigned(address)],
  store: (address, value) => [...i32Constant(0), ...value, 0x36, 2, ...unsigned(address)],
  constant: i32Constant,
  add: (a, b) => [...a, ...b, 0x6a],
  xor: (a, b) => [...a, ...b, 0x73],
  and: (a, b) => [...a, ...b, 0x71],
  select: (a, b, mask) => [...a, ...b, 0x73, ...mask, 0x71, ...b, 0x73],
  rotateRight: (local, bits) => [...get(local), ...i32Constant(bits), 0x78],
  shiftRight: (local, bits) => [...get(local), ...i32Constant(bits), 0x76],
};

/** Operations on four 32-bit words at once (128-bit SIMD). */
export const simdWords: Words = {
  valueType: v128,
  size: 16,
  load: (address) => [...i32Constant(0), ...simd(0x00), 4, ...unsigned(address)],
  store: (address, value) => [...i32Constant(0), ...value, ...simd(0x0b), 4, ...unsigned(address)],
  constant: (value) => [...simd(0x0c), ...Array.from({ length: 4 }, () => littleEndian(value)).flat()],
  add: (a, b) => [...a, ...b, ...simd(0xae)],
  xor: (a, b) => [...a, ...b, ...simd(0x51)],
  and: (a, b) => [...a, ...b, ...simd(0x4e)],
  select: (a, b, mask) => [...a, ...b, ...mask, ...simd(0x52)],
  rotateRight: (local, bits) => [
    ...simdWords.shiftRight(local, bits),
    ...get(local),
    ...i32Constant(32 - bits),
    ...simd(0xab),
    ...simd(0x50),
  ],
  shiftRight: (local, bits) => [...get(local), ...i32Constant(bits), ...simd(0xad)],
};

/** Reads a local. */
export function get(local: number): Code {
  return [0x20, ...unsigned(local)];
}

/** Writes a local. */
export function set(local: number, value: Code): Code {
  return [...value, 0x21, ...unsigned(local)];
}

/** Repeats `body` while the 32-bit local `counter`, lowered by one after each turn, is not zero; at least once. */
export function repeat(counter: number, body: Code): Code {
  const lowered = [...get(counter), ...i32Constant(1), 0x6b, 0x22, ...unsigned(counter)];
  return [0x03, 0x40, ...body, ...lowered, 0x0d, 0, 0x0b];
}

/**
 * A module with one exported page of memory, `memory`, and one exported function, `run`, which takes a 32-bit integer as
 * its local 0 and has `localCount` further locals of the given type.
 */
export function moduleOf(options: { valueType: number; localCount: number; body: Code }): Uint8Array<ArrayBuffer> {
  const code = [1, ...unsigned(options.localCount), options.valueType, ...options.body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 1, i32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name("memory"), 2, 0, ...name("run"), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): Code {
  return [text.length, ...Array.from(text, (character) => character.charCodeAt(0))];
}

function i32Constant(value: number): Code {
  return [0x41, ...signed(value)];
}

function simd(operation: number): Code {
  return [0xfd, ...unsigned(operation)];
}

function littleEndian(value: number): Code {
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255];
}

/** Unsigned LEB128. */
function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** Signed LEB128 of a 32-bit integer. */
function signed(value: number): Code {
  const last = value >= -64 && value < 64;
  return last ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}
