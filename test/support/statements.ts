import { appendFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";

// With TEST_STATEMENTS, the texts of all statements that a test process executes are written into that folder, each
// once, one JSON string per line. `scripts/check-statements.ts` then checks them against the rules of distributed
// tables.
const folder = process.env["TEST_STATEMENTS"];
const marker = Symbol.for("mls-relay.statements");
const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown; [marker]?: true };

if (folder !== undefined && !prototype[marker]) {
  const file = path.join(folder, `${process.pid}.jsonl`);
  const seen = new Set<string>();
  const execute = prototype.query;
  prototype[marker] = true;
  prototype.query = function (this: unknown, ...given: unknown[]): unknown {
    const [query] = given;
    const text = typeof query === "string" ? query : (query as { text?: unknown } | null)?.text;
    if (typeof text === "string" && !seen.has(text)) {
      seen.add(text);
      appendFileSync(file, `${JSON.stringify(text)}\n`);
    }
    return execute.apply(this, given);
  };
}
