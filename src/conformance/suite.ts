import { Broken, NotChecked } from "./harness/assertions.js";
import { createHarness } from "./harness/harness.js";
import type { Harness, Rule, Target } from "./harness/types.js";
import { rules } from "./rules.js";

/** The result of checking a rule. */
export interface Finding {
  rule: Pick<Rule, "id" | "title" | "source">;
  outcome: "holds" | "broken" | "not checked";
  /** Why it is broken or was not checked. */
  reason?: string;
}

export interface Report {
  findings: Finding[];
  /** Operations that succeeded at least once. */
  succeeded: string[];
}

interface SuiteOptions {
  /** Only rules whose ids begin with this. */
  only?: string | undefined;
  /** Skips rules whose ids begin with this. */
  leaveOut?: string | undefined;
  /** Called with each finding as it is made. */
  onFinding?: ((finding: Finding) => void) | undefined;
}

/** Checks the rules one after the other. Throws only if the server cannot be reached. */
export async function checkConformance(target: Target, options: SuiteOptions = {}): Promise<Report> {
  const harness = await createHarness(target);
  const findings: Finding[] = [];
  try {
    for (const rule of rules.filter(({ id }) => isWanted(id, options))) {
      const finding = {
        rule: { id: rule.id, title: rule.title, source: rule.source },
        ...(await evaluate(rule, harness)),
      };
      findings.push(finding);
      options.onFinding?.(finding);
    }
  } finally {
    await harness.end();
  }
  return { findings, succeeded: [...harness.wire.succeeded].sort() };
}

function isWanted(id: string, { only, leaveOut }: SuiteOptions): boolean {
  return (only === undefined || id.startsWith(only)) && (leaveOut === undefined || !id.startsWith(leaveOut));
}

async function evaluate(rule: Rule, harness: Harness): Promise<Pick<Finding, "outcome" | "reason">> {
  const missing = (rule.requires ?? []).filter((requirement) => !harness.meets(requirement));
  if (missing.length > 0) return { outcome: "not checked", reason: `requires: ${missing.join(", ")}` };
  harness.wire.takeDeviations();
  const thrown = await rule.check(harness).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const deviations = harness.wire.takeDeviations();
  if (thrown instanceof NotChecked && deviations.length === 0)
    return { outcome: "not checked", reason: thrown.message };
  const reasons = [...(thrown === undefined ? [] : [messageOf(thrown)]), ...deviations];
  return reasons.length === 0 ? { outcome: "holds" } : { outcome: "broken", reason: reasons.slice(0, 3).join("; ") };
}

function messageOf(failure: unknown): string {
  if (failure instanceof Broken) return failure.message;
  return `the check failed: ${failure instanceof Error ? failure.message : String(failure)}`;
}
