import { listConstants, listVariables } from "../src/composition/config.js";
import { type Limit, limits } from "../src/limits/table.js";
import { type VariableDescription, variableName } from "../src/platform/config/variables.js";
import { daySeconds, hourSeconds, minuteSeconds } from "../src/protocol/units.js";
import { listSeeds, rulesByName } from "../src/settings/service.js";
import { fillTables } from "./marked-tables.js";

// The tables of docs/reference/limits.md; the text around them is written by hand.

const isNumeric = ({ form }: VariableDescription): boolean => /^(?:integer|number|time)\b/.test(form);

/** Settings of administrators, with the range that a change must be in. */
function tableOfSettings(entries: readonly VariableDescription[]): string {
  const rows = entries.map(
    ({ variable, fallback, form, description }) =>
      `| \`${variable}\` | ${fallback} | ${form.replace(/^(?:integer|number) /, "")} | ${description} |`,
  );
  return ["| name | default | range | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

/** Variables without ranges: a relay that refuses to start names the range. */
function listOfVariables(entries: readonly VariableDescription[]): string {
  return entries
    .map(({ variable, fallback, description }) =>
      /^[\w.]*\d\w*$/.test(fallback)
        ? `- \`${variable}=${fallback}\`: ${description}`
        : `- \`${variable}\` (${fallback}): ${description}`,
    )
    .join("\n");
}

/**
 * How often, how soon and in what portions a relay does its own work, and what the pages about alerts and federation say. A limit that a
 * caller meets is among them only if one of these pages has it.
 */
const ownWork =
  /Agreement|Backoff|Buffer|Cache|Calm|CatchUp|Check|Cleanup|Clear|Concurrent|Dead|Flush|Heartbeat|Interval|Kept|Lease|Linger|Look|Pace|Pause|Poll(?!Pending|Idle|Fallback)|Quick|Refresh|Reload|Retry|Slow|Snapshot|Step|Turn|^trace|^alert|^score|^blocklist|^limited|^dns|^outbox|^intake|^push(?!Subscriptions|Confirmations|Tests|Code)|^federation(?:Conn|Request|Token|Response|Transaction|Peer)|^reporting|^forwarded|^shared|^certificate|^health|^listen/;

function listOfConstants(entries: readonly VariableDescription[]): string {
  return entries
    .map(({ variable, fallback, description }) => `- \`${variable}=${fallback}\`: ${description}`)
    .join("\n");
}

function settingsEntries(): VariableDescription[] {
  const names = [...rulesByName.keys()];
  return listSeeds().map((entry, at) => ({ ...entry, variable: names[at] ?? "" }));
}

const lengths: Readonly<Record<number, string>> = {
  [minuteSeconds]: "minute",
  [hourSeconds]: "hour",
  [daySeconds]: "day",
};

/** The limits of windows by their names, with the defaults of what has their numbers. */
function tableOfWindows(): string {
  const known = [...listVariables(), ...listConstants(), ...settingsEntries()];
  const find = (setting: string) => {
    const spelled = [setting, variableName(setting), `rate_limiting.${setting}`];
    const found = known.find(({ variable }) => spelled.includes(variable));
    if (found === undefined) throw new Error(`src/limits/table.ts: there is no setting ${setting}`);
    return found;
  };
  const windowOf = (window: Limit["window"]): string =>
    typeof window === "string" ? `\`${window}\`` : (lengths[window] ?? `${window / daySeconds} days`);
  const rows = Object.entries<Limit>(limits).map(([name, { per, window, limit, reduced, shareOf }]) => {
    const settings = [limit, reduced, shareOf].filter((one) => typeof one === "string").map(find);
    const sources = settings.map(({ variable }) => `\`${variable}\``).join(", ");
    const [most, less] = settings.map(({ fallback }) => fallback);
    const numbers = reduced === undefined ? (most ?? "1") : `${most}, reduced ${less}`;
    return `| \`${name}\` | ${per} | ${windowOf(window)} | ${numbers} | ${sources} |`;
  });
  return ["| name | for each | window | default | set by |", "|---|---|---|---|---|", ...rows].join("\n");
}

const tables: Readonly<Record<string, () => string>> = {
  settings: () => tableOfSettings(settingsEntries().filter(isNumeric)),
  variables: () => listOfVariables(listVariables().filter(isNumeric)),
  windows: tableOfWindows,
  constants: () => listOfConstants(listConstants().filter((one) => isNumeric(one) && !ownWork.test(one.variable))),
};

/** The page with its tables as the code defines them. */
export function withTables(page: string): string {
  return fillTables(page, tables);
}
