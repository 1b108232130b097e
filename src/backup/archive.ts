import { createHash, type Hash } from "node:crypto";
import {
  DamagedBackup,
  decodeFrames,
  encodeFrame,
  type Frame,
  type FrameKind,
  formatLine,
  longestFrameBytes,
} from "./frames.js";

/** What a backup says of itself before its tables. */
export interface BackupHeader {
  format: number;
  softwareVersion: string;
  domain: string;
  /** When the snapshot was taken, by the database's clock, in Unix seconds. */
  takenAt: number;
  /** The version of the PostgreSQL that it was taken from. */
  postgres: string;
  /** Every step that had been applied to the schema, in order. */
  migrations: readonly string[];
  /** A value sealed under the master key, by which a restore sees whether it has the same key; null where there is none. */
  sealed: SealedSample | null;
}

export interface SealedSample {
  purpose: string;
  base64: string;
}

export interface TableHeader {
  name: string;
  columns: readonly string[];
}

export interface TableEnd {
  name: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface BackupEnd {
  tables: number;
  rows: number;
  sequences: readonly { name: string; value: number }[];
}

/** What a backup consists of, in this order: a header, its tables, an end. A table's data is text as COPY writes it. */
export type BackupPart =
  | { kind: "header"; header: BackupHeader }
  | { kind: "table"; table: TableHeader }
  | { kind: "data"; data: Buffer }
  | { kind: "tableEnd"; end: Pick<TableEnd, "name" | "rows"> }
  | { kind: "end"; end: BackupEnd };

export const formatVersion = 1;
const longestData = 262_144;
const sha256 = "sha256";

if (longestData > longestFrameBytes) throw new RangeError("data does not fit into frames");

/** Writes the parts, with a checksum behind each table and one over everything at the end. */
export async function* encodeArchive(parts: AsyncIterable<BackupPart>): AsyncGenerator<Buffer> {
  const whole = createHash(sha256);
  const table = createTableSum();
  const sign = (bytes: Buffer): Buffer => {
    whole.update(bytes);
    return bytes;
  };
  yield sign(formatLine);
  for await (const part of parts) {
    if (part.kind === "header") yield sign(jsonFrame("header", part.header));
    else if (part.kind === "table") yield sign(jsonFrame("table", table.begin(part.table)));
    else if (part.kind === "tableEnd") yield sign(jsonFrame("tableEnd", table.end(part.end.rows)));
    else if (part.kind === "end") yield jsonFrame("end", { ...part.end, sha256: whole.digest("hex") });
    else {
      for (let at = 0; at < part.data.length; at += longestData) {
        const piece = part.data.subarray(at, at + longestData);
        table.add(piece);
        yield sign(encodeFrame("data", piece));
      }
    }
  }
}

/** Reads the parts back and checks each sum as it comes by. Throws DamagedBackup where anything is not as it was written. */
export async function* decodeArchive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BackupPart> {
  const whole = createHash(sha256).update(formatLine);
  const table = createTableSum();
  let isFirst = true;
  for await (const frame of decodeFrames(bytes)) {
    if (isFirst !== (frame.kind === "header")) throw new DamagedBackup("the parts of the backup are out of order");
    isFirst = false;
    const part = readPart(frame, table);
    if (part.kind === "end") checkSum((part.end as BackupEnd & { sha256?: string }).sha256, whole.digest("hex"));
    else whole.update(frame.bytes);
    yield part;
  }
}

function readPart({ kind, payload }: Frame, table: TableSum): BackupPart {
  if (kind === "data") {
    table.add(payload);
    return { kind, data: payload };
  }
  const value: unknown = parse(payload);
  if (kind === "header") return { kind, header: checkFormat(value as BackupHeader) };
  if (kind === "table") return { kind, table: table.begin(value as TableHeader) };
  if (kind === "end") return { kind, end: value as BackupEnd };
  const end = value as TableEnd;
  const { name, sha256: sum } = table.end(end.rows);
  if (name !== end.name) throw new DamagedBackup("the parts of the backup are out of order");
  checkSum(end.sha256, sum);
  return { kind, end };
}

function checkFormat(header: BackupHeader): BackupHeader {
  if (header.format === formatVersion) return header;
  throw new DamagedBackup(`the backup has format ${header.format}; this version of the relay reads ${formatVersion}`);
}

function checkSum(written: string | undefined, computed: string): void {
  if (written !== computed) throw new DamagedBackup("a checksum does not match: the backup is damaged");
}

type TableSum = ReturnType<typeof createTableSum>;

/** The sum over the data of the table that is being written or read. */
function createTableSum() {
  let open: { table: TableHeader; hash: Hash; bytes: number } | undefined;
  const current = () => {
    if (open === undefined) throw new DamagedBackup("the parts of the backup are out of order");
    return open;
  };
  return {
    begin(table: TableHeader): TableHeader {
      if (open !== undefined) throw new DamagedBackup("the parts of the backup are out of order");
      open = { table, hash: createHash(sha256), bytes: 0 };
      return table;
    },
    add(data: Buffer): void {
      const table = current();
      table.hash.update(data);
      table.bytes += data.length;
    },
    end(rows: number): TableEnd {
      const { table, hash, bytes } = current();
      open = undefined;
      return { name: table.name, rows, bytes, sha256: hash.digest("hex") };
    },
  };
}

function jsonFrame(kind: FrameKind, value: object): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)));
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch (cause) {
    throw new DamagedBackup("the backup is damaged", { cause });
  }
}
