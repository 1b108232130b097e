import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection } from "../database/pool/connection.js";
import { softwareVersion } from "../platform/software-version.js";
import { type BackupHeader, type BackupPart, formatVersion, type TableHeader } from "./archive.js";
import {
  beginSnapshot,
  copyOut,
  prepareSession,
  readMigrations,
  readSealed,
  readSequences,
  readServer,
  readSizes,
  readTables,
} from "./store.js";

/** Is told which table a backup, a verification or a restore has come to, and which part of the whole is done, from 0 to 1. */
export type OnProgress = (part: number, table: string) => void;

export interface SnapshotOptions {
  url: string;
  domain: string;
  /** Whether the database was marked as moved before. */
  isMove?: boolean;
  /** Maximum number of bytes to read from the database per second; null for no limit. */
  bytesPerSecond: number | null;
  signal?: AbortSignal;
  progress?: OnProgress;
}

/** Reads one snapshot of the database, table after table. Relays may be using it; none of them waits for the backup. */
export async function* takeSnapshot(options: SnapshotOptions): AsyncGenerator<BackupPart> {
  const client = await openConnection(options.url);
  try {
    await prepareSession(client);
    await beginSnapshot(client);
    yield { kind: "header", header: await readHeader(client, options) };
    const tables = await readTables(client);
    const throttle = createThrottle(options.bytesPerSecond, options.signal);
    const report = options.progress && (await createReport(client, tables, options.progress));
    let rows = 0;
    for (const table of tables) rows += yield* copyTable({ client, table, throttle, report });
    yield { kind: "end", end: { tables: tables.length, rows, sequences: await readSequences(client) } };
  } finally {
    await client.close();
  }
}

async function readHeader(client: Connection, { domain, isMove }: SnapshotOptions): Promise<BackupHeader> {
  return {
    format: formatVersion,
    softwareVersion,
    domain,
    ...(isMove === true && { isMove }),
    ...(await readServer(client)),
    migrations: await readMigrations(client),
    sealed: await readSealed(client),
  };
}

/** Copies one table. Returns the number of its rows. */
async function* copyTable(given: {
  client: Connection;
  table: TableHeader;
  throttle: Throttle;
  report: Report | undefined;
}): AsyncGenerator<BackupPart, number> {
  const { client, table, throttle, report } = given;
  const { name } = table;
  yield { kind: "table", table };
  const data = client.copyOut(copyOut(table));
  for await (const chunk of data as AsyncIterable<Buffer>) {
    yield { kind: "data", data: chunk };
    report?.copied(name, chunk.length);
    await throttle.passed(chunk.length);
  }
  yield { kind: "tableEnd", end: { name, rows: data.rowCount } };
  report?.finished(name);
  return data.rowCount;
}

interface Report {
  copied(table: string, bytes: number): void;
  finished(table: string): void;
}

/** Most of what is stored are bytes, which COPY writes as hexadecimal digits. */
const textPerByte = 2;

/** Weighs tables by what they take on disk: only that is known before they are read. */
async function createReport(client: Connection, tables: readonly TableHeader[], progress: OnProgress): Promise<Report> {
  const sizes = await readSizes(client);
  const expected = new Map(tables.map(({ name }) => [name, textPerByte * (sizes.get(name) ?? 0) + 1]));
  const total = [...expected.values()].reduce((sum, bytes) => sum + bytes, 0);
  let [before, inTable] = [0, 0];
  return {
    copied(table, bytes) {
      inTable += bytes;
      progress((before + Math.min(inTable, expected.get(table) ?? 0)) / total, table);
    },
    finished(table) {
      [before, inTable] = [before + (expected.get(table) ?? 0), 0];
      progress(before / total, table);
    },
  };
}

/** Limits the bytes that are read per second. */
type Throttle = ReturnType<typeof createThrottle>;

const shortestPauseMillis = 5;

function createThrottle(bytesPerSecond: number | null, signal?: AbortSignal) {
  const startedAt = performance.now();
  let total = 0;
  return {
    /** Counts bytes that were read, and resolves when more may be read. */
    async passed(bytes: number): Promise<void> {
      signal?.throwIfAborted();
      if (bytesPerSecond === null) return;
      total += bytes;
      const aheadMillis = (total / bytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (aheadMillis >= shortestPauseMillis)
        await sleep(aheadMillis, undefined, signal === undefined ? {} : { signal });
    },
  };
}
