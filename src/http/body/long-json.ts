import { isAscii } from "node:buffer";
import { setImmediate as nextRound } from "node:timers/promises";
import { type JsonBounds, malformed, parse, problems, refuseOtherEncodings } from "./json.js";

/** Other work gets a turn after this many milliseconds of parsing. */
const sliceMillis = 10;
/** The clock is read after this many bytes. They take at most half a millisecond. */
const pauseBytes = 16 * 1024;
/** Strings are decoded in chunks of this size, which take some ten milliseconds if they are not ASCII. */
const chunkBytes = 1024 * 1024;

/**
 * Parses UTF-8 JSON like JSON.parse, within bounds and in slices: JSON.parse needs a fifth of a second for a body of 32
 * MiB, and nothing else runs meanwhile. The text is read value by value; JSON.parse reads strings, numbers and
 * literals.
 *
 * Text that the database cannot store is refused, except in the member `itemsCheckedApart` of the outermost object.
 *
 * @throws RelayError INVALID_REQUEST
 */
export async function parseLongJson(
  bytes: Buffer,
  options: JsonBounds & { itemsCheckedApart?: string | null | undefined },
): Promise<unknown> {
  refuseOtherEncodings(bytes);
  const reading = new Reader(bytes, options).document();
  let begun = performance.now();
  let step = reading.next();
  while (!step.done) {
    if (performance.now() - begun >= sliceMillis) {
      await nextRound();
      begun = performance.now();
    }
    step = reading.next();
  }
  return step.value;
}

/** Yields at points where it may pause. */
type Reading<T> = Generator<undefined, T>;

/** The position of a value. */
interface Position {
  /** The number of objects and arrays around it. */
  depth: number;
  /** Whether its text must be storable in the database. */
  checked: boolean;
}

class Reader {
  private readonly bytes: Buffer;
  private readonly bounds: JsonBounds;
  private readonly itemsCheckedApart: string | null | undefined;
  private at = 0;
  private pausedAt = 0;
  private values = 1;

  constructor(bytes: Buffer, options: JsonBounds & { itemsCheckedApart?: string | null | undefined }) {
    this.bytes = bytes;
    this.bounds = options;
    this.itemsCheckedApart = options.itemsCheckedApart;
  }

  *document(): Reading<unknown> {
    const value = yield* this.value({ depth: 0, checked: true });
    yield* this.space();
    if (this.at < this.bytes.length) throw notJson();
    return value;
  }

  private *value(position: Position): Reading<unknown> {
    if (this.isPauseDue(this.at)) yield;
    yield* this.space();
    const code = this.bytes[this.at];
    if (code === quote) return yield* this.string(position);
    if (code !== openBrace && code !== openBracket) return yield* this.scalar();
    const inside = { ...position, depth: position.depth + 1 };
    if (inside.depth > this.bounds.jsonMaxDepth) throw malformed(problems.depth(this.bounds));
    this.countValue();
    this.at++;
    return yield* code === openBrace ? this.object(inside) : this.array(inside);
  }

  private *array(position: Position): Reading<unknown[]> {
    const items: unknown[] = [];
    yield* this.space();
    if (this.take(closeBracket)) return items;
    do items.push(yield* this.value(position));
    while (yield* this.hasNext(closeBracket));
    return items;
  }

  private *object(position: Position): Reading<object> {
    const members = {};
    yield* this.space();
    if (this.take(closeBrace)) return members;
    do {
      yield* this.space();
      if (this.bytes[this.at] !== quote) throw notJson();
      const name = yield* this.string(position);
      yield* this.space();
      if (!this.take(colon)) throw notJson();
      const isApart = position.depth === 1 && name === this.itemsCheckedApart;
      const value = yield* this.value(isApart ? { ...position, checked: false } : position);
      setMember(members, name, value);
    } while (yield* this.hasNext(closeBrace));
    return members;
  }

  /** Takes the comma before another item, or the end of the list. */
  private *hasNext(end: number): Reading<boolean> {
    yield* this.space();
    if (this.take(end)) return false;
    if (!this.take(comma)) throw notJson();
    this.countValue();
    return true;
  }

  private *string({ checked }: Position): Reading<string> {
    const start = this.at + 1;
    const end = yield* this.endOfString(start);
    const chunks: string[] = [];
    for (let from = start; chunks.length === 0 || from < end; ) {
      const to = this.endOfChunk(from, end);
      chunks.push(parse(`"${this.text(from, to)}"`) as string);
      from = to;
      if (from < end) yield;
    }
    const value = chunks.length === 1 ? (chunks[0] as string) : chunks.join("");
    this.at = end + 1;
    if (checked && !isStorable(value)) throw malformed(problems.unstorable);
    return value;
  }

  private *endOfString(start: number): Reading<number> {
    for (let end = start; ; end++) {
      end = this.bytes.indexOf(quote, end);
      if (end === -1) throw notJson();
      if (this.backslashesBefore(end, start) % 2 === 0) return end;
      if (this.isPauseDue(end)) yield;
    }
  }

  /** The end of a chunk that divides neither a character nor an escape sequence. */
  private endOfChunk(from: number, end: number): number {
    if (end - from <= chunkBytes) return end;
    let to = from + chunkBytes;
    while (((this.bytes[to] as number) & 0xc0) === 0x80) to--;
    const tail = to - longestEscape;
    const start = tail + this.bytes.subarray(tail, to).lastIndexOf(backslash);
    if (start < tail || this.backslashesBefore(start + 1, from) % 2 === 0) return to;
    const length = this.bytes[start + 1] === letterU ? longestEscape : 2;
    return start + length > to ? start : to;
  }

  private backslashesBefore(position: number, start: number): number {
    let count = 0;
    while (position - count > start && this.bytes[position - count - 1] === backslash) count++;
    return count;
  }

  /** A number or a literal: everything up to what may follow one. */
  private *scalar(): Reading<unknown> {
    const start = this.at;
    while (this.at < this.bytes.length && !delimiters.has(this.bytes[this.at] as number)) {
      this.at++;
      if (this.isPauseDue(this.at)) yield;
    }
    return parse(this.text(start, this.at));
  }

  private *space(): Reading<void> {
    while (spaces.has(this.bytes[this.at] as number)) {
      this.at++;
      if (this.isPauseDue(this.at)) yield;
    }
  }

  private isPauseDue(position: number): boolean {
    if (position - this.pausedAt < pauseBytes) return false;
    this.pausedAt = position;
    return true;
  }

  private take(code: number): boolean {
    const isNext = this.bytes[this.at] === code;
    if (isNext) this.at++;
    return isNext;
  }

  private countValue(): void {
    this.values++;
    if (this.values > this.bounds.jsonMaxValues) throw malformed(problems.values(this.bounds));
  }

  private text(from: number, to: number): string {
    const part = this.bytes.subarray(from, to);
    return part.toString(isAscii(part) ? "latin1" : "utf8");
  }
}

/** Like JSON.parse: the last of several members with one name counts, and none of them is the prototype. */
function setMember(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, configurable: true, enumerable: true, writable: true });
}

/** Faster than a regular expression. The types of this JavaScript version lack the method. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function notJson(): Error {
  return malformed(problems.notJson);
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const longestEscape = 6;
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const delimiters: ReadonlySet<number> = new Set([
  ...spaces,
  comma,
  colon,
  quote,
  openBrace,
  closeBrace,
  openBracket,
  closeBracket,
]);
