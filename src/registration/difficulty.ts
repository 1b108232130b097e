import type { RegistrationSettings } from "./config.js";

/**
 * The iterations that a new challenge requires (specification, "Device registration with delay proof"): the base of
 * the settings, raised in three steps by the number of devices that registered in the last hour, up to the maximum.
 */
export function iterationsFor(base: number, registeredLastHour: number, config: RegistrationSettings): number {
  return Math.min(base * factorFor(registeredLastHour, config), config.maxProofIterations);
}

/** Registrations need not be counted beyond this number. */
export function highestStep(config: RegistrationSettings): number {
  return config.difficultySixteenfoldAbove + 1;
}

function factorFor(registered: number, config: RegistrationSettings): number {
  if (registered > config.difficultySixteenfoldAbove) return 16;
  if (registered > config.difficultyEightfoldAbove) return 8;
  return registered > config.difficultyFourfoldAbove ? 4 : 1;
}
