import type { BackupEnd, BackupHeader } from "../backup/service.js";
import { quoted } from "../platform/print.js";

interface ReadBackup {
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

/** For the line that ends a progress. */
export function contentsOf({ rows, tables }: Pick<BackupEnd, "rows" | "tables">): string {
  return `${rows} rows in ${tables} tables`;
}

export function describeBackup({ header, end }: ReadBackup): string {
  const takenAt = new Date(header.takenAt * 1000).toISOString();
  return [
    `  taken     ${takenAt}`,
    `  domain    ${quoted(header.domain)}`,
    `  from      mls-relay ${quoted(header.softwareVersion)} (schema ${quoted(header.migrations.at(-1) ?? "none")}), PostgreSQL ${quoted(header.postgres)}`,
    `  contents  ${contentsOf(end)}`,
  ].join("\n");
}
