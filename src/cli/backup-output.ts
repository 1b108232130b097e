import { performance } from "node:perf_hooks";
import type { BackupEnd, BackupHeader, Progress } from "../backup/service.js";
import { printError, quoted } from "../platform/print.js";
import { mebibyte } from "../protocol/units.js";

const reportEveryMillis = 5_000;

/** Prints a line to standard error for each finished, non-empty table, and every few seconds in between. */
export function reportProgress(): (progress: Progress) => void {
  let reportedAt = performance.now();
  return ({ table, bytes, rows }) => {
    if (rows === 0) return;
    if (rows === undefined && performance.now() - reportedAt < reportEveryMillis) return;
    reportedAt = performance.now();
    const size = bytes === 0 ? "" : `  ${(bytes / mebibyte).toFixed(1)} MiB`;
    printError(`${table.padEnd(28)} ${rows === undefined ? "…" : `${rows} rows`}${size}`);
  };
}

export interface ReadBackup {
  header: BackupHeader;
  end: BackupEnd;
}

/** For `--json`. */
export function viewOfBackup({ header, end }: ReadBackup) {
  const { format, domain, isMove: move = false, postgres, migrations } = header;
  return {
    header: {
      format,
      software_version: header.softwareVersion,
      domain,
      move,
      taken_at: header.takenAt,
      postgres,
      migrations,
    },
    end: { tables: end.tables, rows: end.rows },
  };
}

export function describeBackup({ header, end }: ReadBackup): string {
  const takenAt = new Date(header.takenAt * 1000).toISOString();
  return [
    `  taken     ${takenAt}`,
    `  domain    ${quoted(header.domain)}`,
    `  from      mls-relay ${quoted(header.softwareVersion)} (schema ${quoted(header.migrations.at(-1) ?? "none")}), PostgreSQL ${quoted(header.postgres)}`,
    `  contents  ${end.rows} rows in ${end.tables} tables`,
  ].join("\n");
}
