import type { Finding, Report } from "./findings.js";

const marks = { holds: "ok  ", broken: "FAIL", "not checked": "--  " } as const;

/** One line with the rule and its source, and one with the reason if it does not hold. */
export function describeFinding({ rule, outcome, reason }: Finding): string {
  const line = `${marks[outcome]}  ${rule.id}: ${rule.title} [${rule.source}]`;
  if (reason === undefined) return line;
  return `${line}\n        ${outcome === "broken" ? "broken" : "not checked"}: ${reason}`;
}

/** The totals of the report. */
export function describeTotals({ findings, succeeded, operations }: Report): string {
  const count = (outcome: Finding["outcome"]) => findings.filter((finding) => finding.outcome === outcome).length;
  const rules = `${count("holds")} rules hold, ${count("broken")} broken, ${count("not checked")} not checked`;
  if (operations === undefined) return rules;
  return `${rules}\n${succeeded.length} of ${operations} operations were answered with success`;
}
