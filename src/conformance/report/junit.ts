import type { Finding } from "./findings.js";

/** The findings in the XML of JUnit that CI servers read: a test suite for each subject. */
export function junitOf(findings: readonly Finding[]): string {
  const subjects = new Map<string, Finding[]>();
  for (const finding of findings) {
    const subject = finding.rule.id.split(".")[0] ?? "";
    subjects.set(subject, [...(subjects.get(subject) ?? []), finding]);
  }
  const suites = [...subjects].map(([subject, members]) => suiteOf(subject, members));
  const head = `<testsuites name="mls-relay-conformance" ${countsOf(findings)}>`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites, "</testsuites>", ""].join("\n");
}

function suiteOf(subject: string, findings: readonly Finding[]): string {
  const head = `  <testsuite name="${attribute(subject)}" ${countsOf(findings)}>`;
  return [head, ...findings.map((finding) => caseOf(subject, finding)), "  </testsuite>"].join("\n");
}

function caseOf(subject: string, { rule, outcome, reason = "" }: Finding): string {
  const head = `    <testcase classname="${attribute(subject)}" name="${attribute(`${rule.id}: ${rule.title}`)}"`;
  if (outcome === "holds") return `${head}/>`;
  const element = outcome === "broken" ? "failure" : "skipped";
  return `${head}><${element} message="${attribute(reason)}">${attribute(`${rule.place} [${rule.source}]`)}</${element}></testcase>`;
}

function countsOf(findings: readonly Finding[]): string {
  const count = (outcome: Finding["outcome"]) => findings.filter((finding) => finding.outcome === outcome).length;
  return `tests="${findings.length}" failures="${count("broken")}" errors="0" skipped="${count("not checked")}"`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML 1.0 has no other control characters, not even as references, and no lone surrogates. */
function attribute(text: string): string {
  const allowed = text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, (one) => (/\s/.test(one) ? one : "\ufffd"));
  return allowed.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "").replaceAll(/[\t\r\n]/g, "&#10;");
}
