import type { DelayProof } from "../protocol/delay-proof.js";
import { RelayError } from "../protocol/errors.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import type { Challenges } from "./challenges.js";
import type { Invites } from "./invites.js";
import type { IpLimits } from "./ip-limits.js";
import type { Candidate, RegistrationGrant } from "./types.js";

/** Decides whether an unknown device may register. */
export interface RegistrationPolicy {
  /**
   * Throws REGISTRATION_CLOSED, IP_BANNED, RATE_LIMIT_EXCEEDED, CHALLENGE_EXPIRED, INVALID_PROOF or OVERLOADED. The proof
   * or invite is used up only by the `use` of the grant.
   */
  admit(candidate: Candidate): Promise<RegistrationGrant>;
}

const openGrant: RegistrationGrant = { lostByBadSignature: false, use: async () => {} };

/**
 * The order is the specification's. First, registration must be enabled. Second, the network address must not be banned or
 * beyond its limits; this is counted before any costly work. Third, the device needs an invite in the modes `invite_only`
 * and `federation_allowlist`. In the mode `open`, a proof takes precedence over an invite, an invite over a challenge that
 * is old enough, and nothing is needed if proofs are switched off.
 */
export function createRegistrationPolicy(deps: {
  settings: Pick<SettingsService, "current">;
  ipLimits: IpLimits;
  challenges: Challenges;
  invites: Invites;
}): RegistrationPolicy {
  const { settings, ipLimits, challenges, invites } = deps;

  const admitByInvite = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<RegistrationGrant> => {
    const { inviteCode, now } = candidate;
    if (!rules.accept_invites) throw new RelayError("REGISTRATION_CLOSED", "this server accepts no invites");
    if (inviteCode === undefined) throw new RelayError("REGISTRATION_CLOSED", "an invite is required");
    return invites.admit(inviteCode, { trustPeers: rules.mode === "federation_allowlist", now });
  };
  const admitOpenly = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<RegistrationGrant> => {
    if (hasProof(candidate)) return challenges.admitByProof(candidate, () => ipLimits.ban(candidate.ip));
    if (candidate.inviteCode !== undefined) return admitByInvite(candidate, rules);
    if (rules.allow_time_delay && hasChallenge(candidate)) {
      return challenges.admitByDelay(candidate, rules.time_delay_seconds);
    }
    throw new RelayError("INVALID_PROOF", "VDF proof required");
  };

  return {
    async admit(candidate) {
      const { registration } = settings.current();
      refuseIfClosed(registration);
      await ipLimits.countFirstAnnouncement(candidate.ip, candidate.observer);
      if (registration.mode !== "open") return admitByInvite(candidate, registration);
      return registration.require_proof_of_work ? admitOpenly(candidate, registration) : openGrant;
    },
  };
}

/** Throws REGISTRATION_CLOSED if registration is switched off. */
export function refuseIfClosed(registration: ServerSettings["registration"]): void {
  if (!registration.enabled) throw new RelayError("REGISTRATION_CLOSED", "registration is closed on this server");
}

function hasProof(candidate: Candidate): candidate is Candidate & { proof: DelayProof } {
  return candidate.proof !== undefined;
}

function hasChallenge(candidate: Candidate): candidate is Candidate & { challenge: Uint8Array } {
  return candidate.challenge !== undefined;
}
