import type { Config } from "../platform/config/config.js";

export type DifficultyConfig = Pick<
  Config,
  "difficultyFourfoldAbove" | "difficultyEightfoldAbove" | "difficultySixteenfoldAbove" | "maxProofIterations"
>;

/**
 * How many iterations a new challenge asks for (specification, "Device registration with proof of delay"): the base of
 * the settings, raised in three steps by the number of devices that completed their first announcement in the last
 * hour, and never above the maximum.
 */
export function iterationsFor(base: number, registeredLastHour: number, config: DifficultyConfig): number {
  return Math.min(base * factorFor(registeredLastHour, config), config.maxProofIterations);
}

/** Beyond this many registrations a higher number makes no difference. */
export function highestStep(config: DifficultyConfig): number {
  return config.difficultySixteenfoldAbove + 1;
}

function factorFor(registered: number, config: DifficultyConfig): number {
  if (registered > config.difficultySixteenfoldAbove) return 16;
  if (registered > config.difficultyEightfoldAbove) return 8;
  return registered > config.difficultyFourfoldAbove ? 4 : 1;
}
