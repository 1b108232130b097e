import { readFile, writeFile } from "node:fs/promises";
import { withRuleTables } from "../document-conformance.js";
import { withTables } from "../document-limits.js";
import { llmsText } from "../document-llms.js";
import { withMetricsTable } from "../document-metrics.js";
import { withScaleTables } from "../document-scale.js";

/** Pages of the manual with tables that the code fills, and what is made from them. */
const pages: Readonly<Record<string, (page: string) => string>> = {
  "docs/explanation/scale.md": withScaleTables,
  "docs/llms.txt": llmsText,
  "docs/reference/conformance-rules.md": withRuleTables,
  "docs/reference/limits.md": withTables,
  "docs/reference/metrics.md": withMetricsTable,
};

/** Fills the tables of the pages under `root`. */
export async function writePages(root: URL): Promise<void> {
  for (const [name, fill] of Object.entries(pages)) {
    const file = new URL(name, root);
    await writeFile(file, fill(await readFile(file, "utf8")));
  }
}

/** The pages under `root` whose tables differ from the code. */
export async function findStalePages(root: URL): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, fill] of Object.entries(pages)) {
    const page = await readFile(new URL(name, root), "utf8");
    if (fill(page) !== page) stale.push(name);
  }
  return stale;
}
