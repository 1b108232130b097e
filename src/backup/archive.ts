import { createHash, type Hash } from "node:crypto";
import {
  DamagedBackup,
  decodeFrames,
  encodeFrame,
  type Frame,
  type FrameKind,
  formatLine,
  maxFrameBytes,
} from "./frames.js";

/** The header of a backup, before its tables. */
export interface BackupHeader {
  format: number;
  softwareVersion: string;
  domain: string;
  /** True if the relay had been stopped for good: its database was marked as moved before the snapshot. */
  isMove?: boolean;
  /** When the snapshot was taken, in Unix seconds of the database's clock. */
  takenAt: number;
  /** The version of PostgreSQL. */
  postgres: string;
  /** The migrations that had been applied, in order. */
  migrations: readonly string[];
  /** A value sealed under the master key, with which a restore tests that it has the same key; null if nothing is sealed. */
  sealed: SealedSample | null;
}

export interface SealedSample {
  purpose: string;
  base64: string;
}

export interface TableHeader {
  name: string;
  columns: readonly string[];
  /** The partitions of a partitioned table, whose rows are stored with the whole table; null for any other table. */
  partitions: readonly Partition[] | null;
}

interface Partition {
  name: string;
  /** As PostgreSQL writes them: `DEFAULT`, or `FOR VALUES FROM ('…') TO ('…')`. */
  bounds: string;
}

interface TableEnd {
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

/** The parts of a backup, in this order: a header, its tables, an end. The data of a table is text as COPY writes it. */
export type BackupPart =
  | { kind: "header"; header: BackupHeader }
  | { kind: "table"; table: TableHeader }
  | { kind: "data"; data: Buffer }
  | { kind: "tableEnd"; end: Pick<TableEnd, "name" | "rows"> }
  | { kind: "end"; end: BackupEnd };

export const formatVersion = 1;
const maxDataBytes = 262_144;
const sha256 = "sha256";

if (maxDataBytes > maxFrameBytes) throw new RangeError("data does not fit into frames");

/** Encodes the parts, with a checksum after each table and one over everything at the end. */
export async function* encodeArchive(parts: AsyncIterable<BackupPart>): AsyncGenerator<Buffer> {
  const whole = createHash(sha256);
  const table = createTableSum();
  const addToSum = (bytes: Buffer): Buffer => {
    whole.update(bytes);
    return bytes;
  };
  yield addToSum(formatLine);
  for await (const part of parts) {
    if (part.kind === "header") yield addToSum(jsonFrame("header", part.header));
    else if (part.kind === "table") yield addToSum(jsonFrame("table", table.begin(part.table)));
    else if (part.kind === "tableEnd") yield addToSum(jsonFrame("tableEnd", table.end(part.end.rows)));
    else if (part.kind === "end") yield jsonFrame("end", { ...part.end, sha256: whole.digest("hex") });
    else {
      for (let at = 0; at < part.data.length; at += maxDataBytes) {
        const chunk = part.data.subarray(at, at + maxDataBytes);
        table.add(chunk);
        yield addToSum(encodeFrame("data", chunk));
      }
    }
  }
}

/** Decodes the parts and checks every checksum on the way. Throws DamagedBackup if anything differs from what was written. */
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
  throw new DamagedBackup(
    `the backup has format ${header.format}; this version of the relay reads format ${formatVersion}`,
  );
}

function checkSum(written: string | undefined, computed: string): void {
  if (written !== computed) throw new DamagedBackup("a checksum does not match: the backup is damaged");
}

type TableSum = ReturnType<typeof createTableSum>;

/** The checksum of the table that is being written or read. */
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
