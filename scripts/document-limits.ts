import { listConstants, listVariables } from "../src/composition/config.js";
import type { VariableDescription } from "../src/platform/config/variables.js";
import { listSeeds, rulesByName } from "../src/settings/service.js";
import { fillTables } from "./marked-tables.js";

// The tables of docs/reference/limits.md; the text around them is written by hand.

const isNumeric = ({ form }: VariableDescription): boolean => /^(?:integer|number|time)\b/.test(form);

function table(entries: readonly VariableDescription[]): string {
  const rows = entries.map(
    ({ variable, fallback, form, description }) =>
      `| \`${variable}\` | ${fallback} | ${rangeOf(form)} | ${description} |`,
  );
  return ["| name | default | range | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

/** Constants have no ranges. */
function tableOfValues(entries: readonly VariableDescription[]): string {
  const rows = entries.map(
    ({ variable, fallback, description }) => `| \`${variable}\` | ${fallback} | ${description} |`,
  );
  return ["| name | value | meaning |", "|---|---|---|", ...rows].join("\n");
}

function rangeOf(form: string): string {
  return form.replace(/^(?:integer|number) /, "");
}

function settingsEntries(): VariableDescription[] {
  const names = [...rulesByName.keys()];
  return listSeeds().map((entry, at) => ({ ...entry, variable: names[at] ?? "" }));
}

const tables: Readonly<Record<string, () => string>> = {
  settings: () => table(settingsEntries().filter(isNumeric)),
  variables: () => table(listVariables().filter(isNumeric)),
  constants: () => tableOfValues(listConstants().filter(isNumeric)),
};

/** The page with its tables as the code defines them. */
export function withTables(page: string): string {
  return fillTables(page, tables);
}
