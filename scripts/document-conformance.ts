import { type RuleRow, tableOfRules } from "../src/conformance/rule-table.js";
import { fillTables } from "./marked-tables.js";

// The lists of docs/reference/conformance-rules.md, made from the rules; the text around them is written by hand.

/** Rules that stand for each operation, path or error, which the page has in one line: in one place, or in that of each. */
const families: readonly { prefix: string; id: string; title: string; place?: string }[] = [
  {
    prefix: "general.token.",
    id: "general.token.<operation>",
    title: "every operation with a token refuses tokens of other kinds",
    place: "Authentication",
  },
  {
    prefix: "general.methods.",
    id: "general.methods.<path>",
    title: "every path knows the contract's methods only, and says so in Allow",
  },
  {
    prefix: "general.body.",
    id: "general.body.<operation>",
    title: "every operation refuses another media type, a body that is not JSON, and one without the required members",
  },
  {
    prefix: "messages.malformed.",
    id: "messages.malformed.<part>",
    title:
      "a message is refused with INVALID_ADDRESS for its address or host, and with INVALID_REQUEST for another malformed, missing or unknown part",
    place: "Message routing",
  },
  {
    prefix: "client.error.",
    id: "client.error.<ERROR>",
    title: "a refusal is final, and a temporary error is not followed by the same message before Retry-After",
  },
];

const lists: Readonly<Record<string, () => string>> = {
  servers: () => listOf("server"),
  specification: () => listOf("specification"),
  clients: () => listOf("client"),
  groups: () => listOf("groups"),
};

/** The page with the lists of all rules in place of those that it has. */
export function withRuleTables(page: string): string {
  return fillTables(page, lists);
}

/**
 * The rules of a part under the places where they are written, in the order in which the suite has the places. What two parts say alike
 * stands in the first one.
 */
function listOf(part: RuleRow["part"]): string {
  const all = tableOfRules();
  const first = (row: RuleRow) => all.find(({ id, title }) => id === row.id && title === row.title);
  const rows = all.filter((row) => row.part === part && first(row) === row);
  const places = new Map<string, Set<string>>();
  for (const row of rows) {
    const place = placeOf(row);
    places.set(place, (places.get(place) ?? new Set()).add(lineOf(row)));
  }
  return [...places].map(([place, lines]) => `### ${place}\n\n${[...lines].join("\n")}`).join("\n\n");
}

const familyOf = ({ id }: RuleRow) => families.find(({ prefix }) => id.startsWith(prefix));

function lineOf(row: RuleRow): string {
  const { id, title } = familyOf(row) ?? row;
  return `- \`${id}\`: ${title.replaceAll(/\{[^}]*\}/g, "`$&`")}`;
}

/** The member of the discovery document that announces an extension is a place by itself. A family has one place. */
function placeOf(row: RuleRow): string {
  return familyOf(row)?.place ?? row.place.replace(/^extension, announced by /, "");
}
