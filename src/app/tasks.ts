import { report, update } from "./session.js";

/** Runs what a person has asked for, and shows why it failed, instead of what has failed before. */
export function attempt(work: () => Promise<unknown>): void {
  update({ problem: undefined });
  inBackground(work);
}

/** Runs what the page does by itself. */
export function inBackground(work: () => Promise<unknown>): void {
  void work().catch(report);
}
