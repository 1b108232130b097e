import { AnswerError } from "../../client/connection/failures.js";
import { Broken, isLimit, LimitReached, NotChecked } from "../harness/assertions.js";

/** What a report says about a rule. */
interface RuleSummary {
  id: string;
  title: string;
  /** Where the rule is written. */
  source: string;
  /** The section of the specification, or what announces the extension. */
  place: string;
}

/** The result of checking a rule. */
export interface Finding {
  rule: RuleSummary;
  outcome: "holds" | "broken" | "not checked";
  /** Why it is broken or was not checked. */
  reason?: string;
  /** It was not checked because of a limit of the server, not because an option was missing. */
  limited?: boolean;
}

export interface Report {
  findings: Finding[];
  /** Operations that succeeded at least once. */
  succeeded: string[];
  /** How many operations there are; absent where they are not counted. */
  operations?: number;
}

/** Runs a check. What it threw and the deviations that it left behind are the reasons. */
export async function evaluate(
  check: () => Promise<void>,
  takeDeviations: () => readonly string[] = () => [],
): Promise<Omit<Finding, "rule">> {
  takeDeviations();
  const thrown = await check().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const deviations = takeDeviations();
  if (deviations.length === 0) {
    if (isLimitReached(thrown)) return { outcome: "not checked", reason: thrown.message, limited: true };
    if (thrown instanceof NotChecked) return { outcome: "not checked", reason: thrown.message };
  }
  const reasons = [...(thrown === undefined ? [] : [messageOf(thrown)]), ...deviations];
  return reasons.length === 0 ? { outcome: "holds" } : { outcome: "broken", reason: reasons.slice(0, 3).join("; ") };
}

/** Which rules are wanted. */
export interface Selection {
  /** Only rules whose ids begin with this, or for which this holds. */
  only?: string | ((id: string) => boolean) | undefined;
  /** Skips rules whose ids begin with this. */
  leaveOut?: string | undefined;
}

export function isWanted(id: string, { only, leaveOut }: Selection): boolean {
  const isMeant = typeof only === "function" ? only(id) : id.startsWith(only ?? "");
  return isMeant && (leaveOut === undefined || !id.startsWith(leaveOut));
}

/** Whether limits of the server left more rules unchecked than were checked. Options that are missing do not count. */
export function isStoppedByLimits({ findings }: Report): boolean {
  const limited = findings.filter((finding) => finding.limited).length;
  return limited > findings.filter(({ outcome }) => outcome !== "not checked").length;
}

function isLimitReached(thrown: unknown): thrown is Error {
  return thrown instanceof LimitReached || (thrown instanceof AnswerError && isLimit(thrown));
}

function messageOf(failure: unknown): string {
  if (failure instanceof Broken) return failure.message;
  return `the check failed: ${failure instanceof Error ? failure.message : String(failure)}`;
}
