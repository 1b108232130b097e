import { catalogue } from "../src/metrics/catalogue.js";
import { fillTables } from "./marked-tables.js";

// The lists of docs/reference/metrics.md, made from the catalogue in src/metrics; the text around them is written by hand.

type Type = (typeof catalogue)[number]["type"];

function listOf(wanted: Type): string {
  const lines = catalogue.filter(({ type }) => type === wanted).map(({ name, help }) => `- \`${name}\`: ${help}`);
  return lines.join("\n");
}

const lists: Readonly<Record<string, () => string>> = {
  gauges: () => listOf("gauge"),
  counters: () => listOf("counter"),
  histograms: () => listOf("histogram"),
};

/** The page with the lists of all metrics in place of those that it has. */
export function withMetricsTable(page: string): string {
  return fillTables(page, lists);
}
