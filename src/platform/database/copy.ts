import pg from "pg";

// COPY in its binary form (PostgreSQL's manual, "COPY", "Binary Format"): an insert from arrays writes every value out as
// text, reads it again, and keeps the rows in between; that way costs PostgreSQL about a quarter more.

const signature = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const end = -1;
const nothing = -1;
const jsonbVersion = 1;
const uuidBytes = 16;
const mostBytesOfCharacter = 3;
const firstBytes = 65_536;

/** Rows on their way into a table. Each row gives its number of fields first, then every field in the table's order. */
export class CopyRows {
  private buffer = Buffer.allocUnsafe(firstBytes);
  private at = signature.copy(this.buffer);

  row(fields: number): this {
    this.reserve(2);
    this.at = this.buffer.writeInt16BE(fields, this.at);
    return this;
  }

  text(value: string): this {
    this.reserve(4 + mostBytesOfCharacter * value.length);
    const length = this.buffer.write(value, this.at + 4);
    this.at = this.buffer.writeInt32BE(length, this.at) + length;
    return this;
  }

  /** A whole number from 0 to 2^53 - 1. */
  bigint(value: number): this {
    this.reserve(12);
    this.at = this.buffer.writeInt32BE(8, this.at);
    this.at = this.buffer.writeUInt32BE(Math.floor(value / 2 ** 32), this.at);
    this.at = this.buffer.writeUInt32BE(value % 2 ** 32, this.at);
    return this;
  }

  /** In the canonical spelling. */
  uuid(value: string): this {
    this.reserve(4 + uuidBytes);
    this.at = this.buffer.writeInt32BE(uuidBytes, this.at);
    this.at += this.buffer.write(value.replaceAll("-", ""), this.at, "hex");
    return this;
  }

  bytes(value: Uint8Array): this {
    this.reserve(4 + value.length);
    this.at = this.buffer.writeInt32BE(value.length, this.at);
    this.buffer.set(value, this.at);
    this.at += value.length;
    return this;
  }

  /** JSON as text, or null. */
  jsonb(value: string | null): this {
    this.reserve(5 + mostBytesOfCharacter * (value?.length ?? 0));
    if (value === null) {
      this.at = this.buffer.writeInt32BE(nothing, this.at);
      return this;
    }
    this.buffer.writeUInt8(jsonbVersion, this.at + 4);
    const length = 1 + this.buffer.write(value, this.at + 5);
    this.at = this.buffer.writeInt32BE(length, this.at) + length;
    return this;
  }

  /** All of it, with its end; nothing is added after that. */
  whole(): Buffer {
    this.reserve(2);
    this.at = this.buffer.writeInt16BE(end, this.at);
    return this.buffer.subarray(0, this.at);
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}

/**
 * A COPY for a connection on which statements follow each other without waiting: the rows go right behind the statement,
 * and what comes behind them is the next one. PostgreSQL passes over rows that follow a statement that failed.
 */
export function copyQuery(into: string, rows: CopyRows, settle: (error: Error | null) => void): pg.Query {
  const text = `copy ${into} from stdin (format binary)`;
  const sending = {
    callback: settle,
    submit(connection: CopyingConnection): null {
      connection.query(text);
      connection.sendCopyFromChunk(rows.whole());
      connection.endCopyFrom();
      return null;
    },
    handleCopyInResponse: () => undefined,
  };
  return Object.assign(new pg.Query({ text }), sending);
}

/** What the driver's own copying calls, too, and its types leave out. */
interface CopyingConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}
