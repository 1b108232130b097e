import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection } from "../database/connection.js";
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
  readTables,
} from "./store.js";

/** The progress of a backup, a verification or a restore. */
export interface Progress {
  table: string;
  bytes: number;
  /** The number of rows when the table is done; undefined before that. */
  rows?: number;
}

export interface SnapshotOptions {
  url: string;
  domain: string;
  /** Whether the database was marked as moved before. */
  isMove?: boolean;
  /** Maximum number of bytes to read from the database per second; null for no limit. */
  bytesPerSecond: number | null;
  signal?: AbortSignal;
  progress?: (progress: Progress) => void;
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
    let rows = 0;
    for (const table of tables) rows += yield* copyTable({ client, table, throttle, progress: options.progress });
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
  progress: ((progress: Progress) => void) | undefined;
}): AsyncGenerator<BackupPart, number> {
  const { client, table, throttle, progress } = given;
  const { name } = table;
  yield { kind: "table", table };
  const data = client.copyOut(copyOut(table));
  let bytes = 0;
  for await (const chunk of data as AsyncIterable<Buffer>) {
    yield { kind: "data", data: chunk };
    bytes += chunk.length;
    progress?.({ table: name, bytes });
    await throttle.passed(chunk.length);
  }
  yield { kind: "tableEnd", end: { name, rows: data.rowCount } };
  progress?.({ table: name, bytes, rows: data.rowCount });
  return data.rowCount;
}

/** Limits the bytes that are read per second. */
interface Throttle {
  /** Counts bytes that were read, and resolves when more may be read. */
  passed(bytes: number): Promise<void>;
}

const shortestPauseMillis = 5;

function createThrottle(bytesPerSecond: number | null, signal?: AbortSignal): Throttle {
  const startedAt = performance.now();
  let total = 0;
  return {
    async passed(bytes) {
      signal?.throwIfAborted();
      if (bytesPerSecond === null) return;
      total += bytes;
      const aheadMillis = (total / bytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (aheadMillis >= shortestPauseMillis)
        await sleep(aheadMillis, undefined, signal === undefined ? {} : { signal });
    },
  };
}
