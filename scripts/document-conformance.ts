import { type RuleRow, tableOfRules } from "../src/conformance/rule-table.js";

// The tables of docs/reference/conformance-rules.md, made from the rules; the text around them is written by hand.

const head = "| rule | what it checks | place |\n|---|---|---|\n";

/** The page with the tables of all rules in place of those that it has, in the order of the headings. */
export function withRuleTables(page: string): string {
  const parts: RuleRow["part"][] = ["server", "specification", "client"];
  const rows = tableOfRules();
  return page.replaceAll(/\| rule \| what it checks \| place \|\n(?:\|.*\n)*/g, () => {
    const part = parts.shift();
    return (
      head +
      rows
        .filter((row) => row.part === part)
        .map(lineOf)
        .join("")
    );
  });
}

function lineOf({ id, title, place }: RuleRow): string {
  return `| \`${id}\` | ${title.replaceAll("|", "\\|").replaceAll(/\{[^}]*\}/g, "`$&`")} | ${place} |\n`;
}
