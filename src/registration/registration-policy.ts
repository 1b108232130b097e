import type { DelayProof } from "../protocol/delay-proof.js";
import { RelayError } from "../protocol/errors.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import type { Challenges } from "./challenges.js";
import type { Invites } from "./invites.js";
import type { NetworkGuard } from "./ip-limits.js";
import type { Admission, Candidate } from "./types.js";

/** Decides whether a device that is not known here may register. */
export interface RegistrationPolicy {
  /**
   * Throws REGISTRATION_CLOSED, IP_BANNED, RATE_LIMIT_EXCEEDED, CHALLENGE_EXPIRED, INVALID_PROOF or OVERLOADED. What
   * the admission rests on is used up only by `use`.
   */
  admit(candidate: Candidate): Promise<Admission>;
}

const freeAdmission: Admission = { lostByBadSignature: false, use: async () => {} };

/**
 * The order is the specification's: is registration open at all; is the network address banned or past its limits,
 * counted before anything costly is done; then one of the ways in. In the modes `invite_only` and
 * `federation_allowlist` only an invite counts. In mode `open` a proof goes before an invite, an invite before waiting,
 * and where no proof is asked for nothing is needed.
 */
export function createRegistrationPolicy(deps: {
  settings: Pick<SettingsService, "current">;
  guard: NetworkGuard;
  challenges: Challenges;
  invites: Invites;
}): RegistrationPolicy {
  const { settings, guard, challenges, invites } = deps;

  const admitByInvite = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<Admission> => {
    const { inviteCode, now } = candidate;
    if (!rules.accept_invites) throw new RelayError("REGISTRATION_CLOSED", "this server accepts no invites");
    if (inviteCode === undefined) throw new RelayError("REGISTRATION_CLOSED", "an invite is required");
    return invites.admit(inviteCode, { trustPeers: rules.mode === "federation_allowlist", now });
  };
  const admitOpenly = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<Admission> => {
    if (hasProof(candidate)) return challenges.admitByProof(candidate, () => guard.ban(candidate.ip));
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
      await guard.countFirstAnnouncement(candidate.ip);
      if (registration.mode !== "open") return admitByInvite(candidate, registration);
      return registration.require_proof_of_work ? admitOpenly(candidate, registration) : freeAdmission;
    },
  };
}

/** Throws REGISTRATION_CLOSED where registration is off. */
export function refuseIfClosed(registration: ServerSettings["registration"]): void {
  if (!registration.enabled) throw new RelayError("REGISTRATION_CLOSED", "this server takes no new devices");
}

function hasProof(candidate: Candidate): candidate is Candidate & { proof: DelayProof } {
  return candidate.proof !== undefined;
}

function hasChallenge(candidate: Candidate): candidate is Candidate & { challenge: Uint8Array } {
  return candidate.challenge !== undefined;
}
