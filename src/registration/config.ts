import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds } from "../protocol/units.js";

/** Registration, addresses and the delay proof. */
export const registrationSettings = {
  challengesPerIpHour: integer("Registration challenges per IP and hour", { default: 10, min: 1, max: 1_000_000 }),
  firstAnnouncementsPerIpHour: integer("First announcements per IP and hour", { default: 3, min: 1, max: 1_000_000 }),
  firstAnnouncementsPerIpDay: integer("First announcements per IP and day", { default: 10, min: 1, max: 10_000_000 }),
  proofWorkers: integer("Threads that check proofs; 0 for one less than the number of cores", {
    default: 0,
    min: 0,
    max: 256,
  }),
  challengeLifetimeSeconds: integer("Lifetime of a registration challenge", { default: 300, min: 1, max: daySeconds }),
  invalidProofBanSeconds: integer("Time for which a wrong proof bans the IP from registering", {
    default: daySeconds,
    min: 0,
    max: daySeconds,
  }),
  maxAddressesPrefixFlow: integer("Active addresses per device that announces prefixes", {
    default: 10,
    min: 1,
    max: 10_000,
  }),
  maxAddressesRegistrationFlow: integer("Active addresses per device that uses the registration flow", {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  maxProofIterations: integer("Highest difficulty that is required", {
    default: 80_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
};

export const registrationConstants = {
  difficultyFourfoldAbove: constant(
    "First announcements in the last hour above which the difficulty is 4 times the base",
    1000,
  ),
  difficultyEightfoldAbove: constant("First announcements in the last hour above which it is 8 times the base", 1500),
  difficultySixteenfoldAbove: constant(
    "First announcements in the last hour above which it is 16 times the base",
    2000,
  ),
  proofQueueLimit: constant("Proofs that may wait for a thread; beyond it registration is refused", 64),
  inviteMaxLifetimeSeconds: constant("Longest lifetime of an invite", 30 * daySeconds),
  inviteUsualLifetimeSeconds: constant("Lifetime of an invite when none is requested", 7 * daySeconds),
};

export type RegistrationSettings = ValuesOf<typeof registrationSettings & typeof registrationConstants>;
