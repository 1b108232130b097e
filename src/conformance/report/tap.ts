import type { Finding } from "./findings.js";

/** The findings in the Test Anything Protocol, version 14. A rule that was not checked is a skipped test. */
export function tapOf(findings: readonly Finding[]): string {
  return ["TAP version 14", `1..${findings.length}`, ...findings.map(lineOf), ""].join("\n");
}

function lineOf({ rule, outcome, reason = "" }: Finding, index: number): string {
  const description = escaped(`${rule.id}: ${rule.title}`);
  const line = `${outcome === "broken" ? "not ok" : "ok"} ${index + 1} - ${description}`;
  if (outcome === "holds") return line;
  if (outcome === "not checked") return `${line} # SKIP ${oneLine(reason)}`;
  const block = { message: reason, source: rule.source, place: rule.place };
  const members = Object.entries(block).map(([name, value]) => `  ${name}: ${JSON.stringify(oneLine(value))}`);
  return [line, "  ---", ...members, "  ..."].join("\n");
}

/** A # would begin a directive. */
function escaped(text: string): string {
  return oneLine(text).replaceAll(/[\\#]/g, "\\$&");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
