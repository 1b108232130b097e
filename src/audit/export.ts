import type { components } from "../../generated/openapi-types.js";
import { csvLine, csvTime } from "../platform/csv.js";
import type { AuditRow } from "./store.js";

type Entry = components["schemas"]["AuditEntry"];

const columns = [
  "id",
  "timestamp",
  "action",
  "admin",
  "target",
  "details",
  "ip_address",
] as const satisfies readonly (keyof Entry)[];

/** The pieces of a CSV file: a header, then one line per entry. */
export async function* asCsv(steps: AsyncIterable<readonly AuditRow[]>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const entries of steps) {
    if (entries.length > 0) yield entries.map((entry) => csvLine(cellsOf(showEntry(entry)))).join("");
  }
}

/** The pieces of one JSON document, `{"entries": [...]}`, with one line per entry. */
export async function* asJson(steps: AsyncIterable<readonly AuditRow[]>): AsyncGenerator<string> {
  yield '{"entries":[';
  let isFirst = true;
  for await (const entries of steps) {
    const lines = entries.map((entry) => JSON.stringify(showEntry(entry))).join(",\n");
    if (lines !== "") yield `${isFirst ? "\n" : ",\n"}${lines}`;
    isFirst &&= lines === "";
  }
  yield "\n]}\n";
}

/** An entry on the wire. */
export function showEntry(entry: AuditRow): Entry {
  const { id, timestamp, action, admin, target, details, ipAddress, userAgent } = entry;
  return { id, timestamp, action, admin, target, details, ip_address: ipAddress, user_agent: userAgent };
}

function cellsOf(entry: Entry): (string | number | null)[] {
  const cells = { ...entry, timestamp: csvTime(entry.timestamp), details: JSON.stringify(entry.details) };
  return columns.map((column) => cells[column]);
}
