import { type RuleRow, tableOfRules } from "../src/conformance/rule-table.js";

// The tables of docs/reference/conformance-rules.md, made from the rules; the text around them is written by hand.

const head = "| rule | what it checks | place |\n|---|---|---|\n";

/** Rules that stand for each operation, path or error, which the page has in one line. */
const families: readonly { prefix: string; id: string; title: string }[] = [
  {
    prefix: "general.token.",
    id: "general.token.<operation>",
    title: "every operation with a token refuses tokens of other kinds",
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
    prefix: "client.error.",
    id: "client.error.<ERROR>",
    title: "a refusal is final, and a temporary error is not followed by the same message before Retry-After",
  },
];

/** The page with the tables of all rules in place of those that it has, in the order of the headings. */
export function withRuleTables(page: string): string {
  const parts: RuleRow["part"][] = ["server", "specification", "client"];
  const rows = tableOfRules();
  return page.replaceAll(/\| rule \| what it checks \| place \|\n(?:\|.*\n)*/g, () => {
    const part = parts.shift();
    return head + linesOf(rows.filter((row) => row.part === part)).join("");
  });
}

/** A line for each rule or family, with the places of all its members. */
function linesOf(rows: readonly RuleRow[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const row of rows) {
    const begin = beginOf(row);
    places.set(begin, (places.get(begin) ?? new Set()).add(memberOf(row.place)));
  }
  return [...places].map(([begin, found]) => `${begin} | ${[...found].join(", ")} |\n`);
}

function beginOf({ id, title }: RuleRow): string {
  const family = families.find(({ prefix }) => id.startsWith(prefix));
  if (family !== undefined) return `| \`${family.id}\` | ${family.title}`;
  return `| \`${id}\` | ${title.replaceAll("|", "\\|").replaceAll(/\{[^}]*\}/g, "`$&`")}`;
}

/** The member of the discovery document that announces an extension is a place by itself. */
function memberOf(place: string): string {
  return place.replace(/^extension, announced by /, "");
}
