import { report, update } from "./session.js";

/** Runs something that the user has asked for. Clears the problem that is shown, and shows why this failed if it does. */
export function attempt(work: () => Promise<unknown>): void {
  update({ problem: undefined });
  inBackground(work);
}

/** Runs something that the user has not asked for. */
export function inBackground(work: () => Promise<unknown>): void {
  void work().catch(report);
}
