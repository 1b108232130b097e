/** How many tests passed and failed; a check counts as a test. Tests that this machine cannot run count as neither. */
export interface Totals {
  passed: number;
  failed: number;
  /** What failed, one line each, for the end of a long log. */
  failures: string[];
  /** Tests that were left out, with the reason, one line each. */
  leftOut: string[];
}

const nothing: Totals = { passed: 0, failed: 0, failures: [], leftOut: [] };

export function passes(passed: number): Totals {
  return { ...nothing, passed };
}

export function failure(...failures: string[]): Totals {
  return { ...nothing, failed: failures.length, failures };
}

/** In CI every program must be installed. */
export function leaveOut(line: string): Totals {
  return isCi() ? failure(`not run, as CI has to: ${line}`) : { ...nothing, leftOut: [line] };
}

export function isCi(): boolean {
  return process.env["CI"] === "true";
}

export function sum(totals: readonly Totals[]): Totals {
  return {
    passed: totals.reduce((count, { passed }) => count + passed, 0),
    failed: totals.reduce((count, { failed }) => count + failed, 0),
    failures: totals.flatMap(({ failures }) => failures),
    leftOut: totals.flatMap(({ leftOut }) => leftOut),
  };
}
