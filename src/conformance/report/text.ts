import { type Finding, isStoppedByLimits, type Report } from "./findings.js";

const marks = { holds: "ok  ", broken: "FAIL", "not checked": "--  " } as const;

/** One line with the rule and its source, and one with the reason if it does not hold. */
export function describeFinding({ rule, outcome, reason }: Finding): string {
  const line = `${marks[outcome]}  ${rule.id}: ${rule.title} [${rule.source}]`;
  if (reason === undefined) return line;
  return `${line}\n        ${outcome === "broken" ? "broken" : "not checked"}: ${reason}`;
}

const tooLittle = "limits of the server left more rules unchecked than were checked: this run says too little";

/** The totals of the report. */
export function describeTotals(report: Report): string {
  const { findings, succeeded, operations } = report;
  const count = (outcome: Finding["outcome"]) => findings.filter((finding) => finding.outcome === outcome).length;
  const rules = `${count("holds")} rules hold, ${count("broken")} broken, ${count("not checked")} not checked`;
  const lines = [rules];
  if (operations !== undefined)
    lines.push(`${succeeded.length} of ${operations} operations were answered with success`);
  if (isStoppedByLimits(report)) lines.push(tooLittle);
  return lines.join("\n");
}
