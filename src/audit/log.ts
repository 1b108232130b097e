import type { Reader } from "../database/db.js";
import type { AuditSettings } from "./config.js";
import { type AuditQuestion, type AuditRow, type Bookmark, countEntries, readNext, readPage } from "./store.js";

/** Reads the audit log. */
export interface AuditLog {
  /** One page, the latest entries first, with the number of all entries that match. */
  page(question: AuditQuestion & { limit?: number; offset: number }): Promise<{ entries: AuditRow[]; total: number }>;
  /** Every entry that matches, the oldest first, in batches. The first batch is read before this resolves. */
  read(question: AuditQuestion): Promise<AsyncIterable<readonly AuditRow[]>>;
}

type AuditLogConfig = Pick<AuditSettings, "auditDefaultLimit" | "auditMaxLimit">;

const entriesPerRead = 500;

/**
 * A long read proceeds in steps from one bookmark to the next. Each step is a separate statement, so the read holds no
 * connection while its reader is slow, and only one step's entries are in memory. Entries are never changed or removed,
 * so the steps fit together.
 */
export function createAuditLog(deps: { reader: Reader; config: AuditLogConfig }): AuditLog {
  const { reader, config } = deps;
  return {
    async page({ limit = config.auditDefaultLimit, ...question }) {
      const asked = { ...question, limit: Math.min(limit, config.auditMaxLimit) };
      const [entries, total] = await Promise.all([readPage(reader, asked), countEntries(reader, question)]);
      return { entries, total };
    },
    async read(question) {
      const next = (after: Bookmark) => readNext(reader, { ...question, after, limit: entriesPerRead });
      return steps(await next({ timestamp: question.since - 1, id: "" }), next);
    },
  };
}

async function* steps(
  first: readonly AuditRow[],
  next: (after: Bookmark) => Promise<readonly AuditRow[]>,
): AsyncGenerator<readonly AuditRow[]> {
  for (let entries = first; ; ) {
    yield entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < entriesPerRead) return;
    entries = await next(last);
  }
}
