import pg from "pg";
import { hexValue } from "../../protocol/encodings.js";
import { kibibyte } from "../../protocol/units.js";

// COPY in its binary format (PostgreSQL manual, "COPY"). An insert from arrays, which converts every value to text and
// back and materialises the rows, costs PostgreSQL about a quarter more.

const signature = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const end = -1;
const nothing = -1;
const jsonbVersion = 1;
const uuidBytes = 16;
const maxBytesOfCharacter = 3;
const chunkBytes = 64 * kibibyte;
/**
 * A value of this length is sent from its own memory, between two chunks. Copying a shorter one costs less than a
 * write.
 */
const worthOwnChunk = 16 * kibibyte;
const hyphen = 0x2d;

/** Builds the rows of a COPY. Call `row` with the number of fields, then add each field in the order of the columns. */
export class CopyRows {
  /** The complete chunks; `buffer` up to `at` follows. */
  private readonly full: Uint8Array[] = [];
  private buffer = Buffer.allocUnsafe(chunkBytes);
  private at = signature.copy(this.buffer);

  row(fields: number): this {
    this.reserve(2);
    this.at = this.buffer.writeInt16BE(fields, this.at);
    return this;
  }

  text(value: string): this {
    this.reserve(4 + maxBytesOfCharacter * value.length);
    const length = this.buffer.write(value, this.at + 4);
    this.int32(length);
    this.at += length;
    return this;
  }

  integer(value: number): this {
    this.reserve(8);
    this.int32(4);
    this.int32(value);
    return this;
  }

  /** A whole number from 0 to 2^53 - 1. */
  bigint(value: number): this {
    this.reserve(12);
    this.int32(8);
    this.int32(Math.floor(value / 2 ** 32));
    this.int32(value % 2 ** 32);
    return this;
  }

  /** In the canonical spelling. */
  uuid(value: string): this {
    this.reserve(4 + uuidBytes);
    this.int32(uuidBytes);
    for (let from = 0; from < value.length; from++) {
      if (value.charCodeAt(from) === hyphen) continue;
      const high = hexValue(value.charCodeAt(from++));
      this.buffer[this.at++] = (high << 4) | hexValue(value.charCodeAt(from));
    }
    return this;
  }

  /** A long value must not be changed until the rows are sent. */
  bytes(value: Uint8Array): this {
    if (value.length >= worthOwnChunk) {
      this.reserve(4);
      this.int32(value.length);
      this.endChunk();
      this.full.push(value);
      return this;
    }
    this.reserve(4 + value.length);
    this.int32(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
    return this;
  }

  /** JSON as text, or null. */
  jsonb(value: string | null): this {
    this.reserve(5 + maxBytesOfCharacter * (value?.length ?? 0));
    if (value === null) {
      this.int32(nothing);
      return this;
    }
    this.buffer.writeUInt8(jsonbVersion, this.at + 4);
    const length = 1 + this.buffer.write(value, this.at + 5);
    this.int32(length);
    this.at += length;
    return this;
  }

  /** The complete data with its trailer, in chunks; nothing may be added afterwards. */
  chunks(): readonly Uint8Array[] {
    this.reserve(2);
    this.at = this.buffer.writeInt16BE(end, this.at);
    this.endChunk();
    return this.full;
  }

  /** Written byte by byte: a message has a dozen of these, and the buffer's own methods check each call. */
  private int32(value: number): void {
    const { buffer, at } = this;
    buffer[at] = value >>> 24;
    buffer[at + 1] = value >>> 16;
    buffer[at + 2] = value >>> 8;
    buffer[at + 3] = value;
    this.at = at + 4;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    this.endChunk();
    this.buffer = Buffer.allocUnsafe(Math.max(bytes, chunkBytes));
  }

  /** The rest of the buffer begins the next chunk. */
  private endChunk(): void {
    if (this.at > 0) this.full.push(this.buffer.subarray(0, this.at));
    this.buffer = this.buffer.subarray(this.at);
    this.at = 0;
  }
}

/**
 * A COPY for a pipelined connection: the rows are sent right after the statement, followed by the next statement.
 * PostgreSQL discards rows that follow a failed statement. With `commits`, the transaction is committed after the rows.
 */
export function copyQuery(
  { into, rows, commits }: { into: string; rows: CopyRows; commits: boolean },
  settle: (error: Error | null) => void,
): pg.Query {
  const text = `copy ${into} from stdin (format binary)${commits ? "; commit" : ""}`;
  const sending = {
    callback: settle,
    submit(connection: CopyingConnection): null {
      connection.query(text);
      sendRows(connection, rows);
      connection.endCopyFrom();
      return null;
    },
    handleCopyInResponse: () => undefined,
  };
  return Object.assign(new pg.Query({ text }), sending);
}

const copyDataCode = 0x64;
const copyDataHeadBytes = 5;

/** Writes CopyData messages around the chunks. The driver's own method would copy each chunk. */
function sendRows({ stream }: CopyingConnection, rows: CopyRows): void {
  if (!stream.writable) return;
  for (const chunk of rows.chunks()) {
    const head = Buffer.allocUnsafe(copyDataHeadBytes);
    head.writeUInt8(copyDataCode);
    head.writeUInt32BE(chunk.length + copyDataHeadBytes - 1, 1);
    stream.write(head);
    stream.write(chunk);
  }
}

/** Members that the driver uses for COPY itself and that its types omit. */
interface CopyingConnection extends pg.Connection {
  endCopyFrom(): void;
}
