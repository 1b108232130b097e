import { routes } from "../../generated/routes.js";
import { createHarness } from "./harness/harness.js";
import type { Harness, Rule, Target } from "./harness/types.js";
import { describePlace, placeOf } from "./places.js";
import { evaluate, type Finding, isWanted, type Report, type Selection } from "./report/findings.js";
import { rules } from "./rules.js";

interface SuiteOptions extends Selection {
  /** Called with each finding as it is made. */
  onFinding?: ((finding: Finding) => void) | undefined;
}

/** Checks the rules one after the other. Throws only if the server cannot be reached. */
export async function checkConformance(target: Target, options: SuiteOptions = {}): Promise<Report> {
  const harness = await createHarness(target);
  const findings: Finding[] = [];
  try {
    for (const rule of rules.filter(({ id }) => isWanted(id, options))) {
      const { id, title, source } = rule;
      const summary = { id, title, source, place: describePlace(placeOf(rule)) };
      const finding = { rule: summary, ...(await check(rule, harness)) };
      findings.push(finding);
      options.onFinding?.(finding);
    }
  } finally {
    await harness.end();
  }
  return { findings, succeeded: [...harness.wire.succeeded].sort(), operations: Object.keys(routes).length };
}

async function check(rule: Rule, harness: Harness): Promise<Omit<Finding, "rule">> {
  const missing = (rule.requires ?? []).filter((requirement) => !harness.meets(requirement));
  if (missing.length > 0) return { outcome: "not checked", reason: `requires: ${missing.join(", ")}` };
  return evaluate(() => rule.check(harness), harness.wire.takeDeviations);
}
