import type { Config } from "../platform/config.js";

export type DifficultyLimits = Pick<
  Config,
  "difficultyFourfoldAbove" | "difficultyEightfoldAbove" | "difficultySixteenfoldAbove" | "maxProofIterations"
>;

/**
 * How many iterations a new challenge asks for (specification, "Device registration with proof of delay"): the base of
 * the settings, raised in three steps by the number of devices that completed their first announcement in the last
 * hour, and never above the maximum.
 */
export function iterationsFor(base: number, registeredLastHour: number, limits: DifficultyLimits): number {
  return Math.min(base * factorFor(registeredLastHour, limits), limits.maxProofIterations);
}

/** Beyond this many registrations a higher number makes no difference. */
export function highestStep(limits: DifficultyLimits): number {
  return limits.difficultySixteenfoldAbove + 1;
}

function factorFor(registered: number, limits: DifficultyLimits): number {
  if (registered > limits.difficultySixteenfoldAbove) return 16;
  if (registered > limits.difficultyEightfoldAbove) return 8;
  return registered > limits.difficultyFourfoldAbove ? 4 : 1;
}
