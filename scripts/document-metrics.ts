import { catalogue } from "../src/metrics/catalogue.js";

// The table of docs/reference/metrics.md, made from the catalogue in src/metrics; the text around it is written by hand.

/** The page with the table of all metrics in place of the one that it has. */
export function withMetricsTable(page: string): string {
  const lines = catalogue.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |\n`);
  const table = `| name | type | meaning |\n|---|---|---|\n${lines.join("")}`;
  return page.replace(/\| name \| type \| meaning \|\n(?:\|.*\n)*/, () => table);
}
