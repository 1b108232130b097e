import type { DelayProof } from "../protocol/delay-proof.js";
import { RelayError } from "../protocol/errors.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import type { Admission, Applicant } from "./applicant.js";
import type { Challenges } from "./challenges.js";
import type { Invites } from "./invites.js";
import type { NetworkGuard } from "./network-guard.js";

/** Decides whether a device that is not known here may register. */
export interface Gate {
  /**
   * Throws REGISTRATION_CLOSED, IP_BANNED, RATE_LIMIT_EXCEEDED, CHALLENGE_EXPIRED, INVALID_PROOF or OVERLOADED. What
   * the admission rests on is used up only by `use`.
   */
  admit(applicant: Applicant): Promise<Admission>;
}

const freeAdmission: Admission = { lostByBadSignature: false, use: async () => {} };

/**
 * The order is the specification's: is registration open at all; is the network address banned or past its limits,
 * counted before anything costly is done; then one of the ways in. In the modes `invite_only` and
 * `federation_allowlist` only an invite counts. In mode `open` a proof goes before an invite, an invite before waiting,
 * and where no proof is asked for nothing is needed.
 */
export function createGate(needs: {
  settings: Pick<SettingsService, "current">;
  guard: NetworkGuard;
  challenges: Challenges;
  invites: Invites;
}): Gate {
  const { settings, guard, challenges, invites } = needs;

  const admitByInvite = (applicant: Applicant, rules: ServerSettings["registration"]): Promise<Admission> => {
    const { inviteCode, now } = applicant;
    if (!rules.accept_invites) throw new RelayError("REGISTRATION_CLOSED", "this server accepts no invites");
    if (inviteCode === undefined) throw new RelayError("REGISTRATION_CLOSED", "an invite is required");
    return invites.admit(inviteCode, { trustPeers: rules.mode === "federation_allowlist", now });
  };
  const admitOpenly = (applicant: Applicant, rules: ServerSettings["registration"]): Promise<Admission> => {
    if (hasProof(applicant)) return challenges.admitByProof(applicant, () => guard.ban(applicant.ip));
    if (applicant.inviteCode !== undefined) return admitByInvite(applicant, rules);
    if (rules.allow_time_delay && hasChallenge(applicant)) {
      return challenges.admitByDelay(applicant, rules.time_delay_seconds);
    }
    throw new RelayError("INVALID_PROOF", "VDF proof required");
  };

  return {
    async admit(applicant) {
      const { registration } = settings.current();
      refuseIfClosed(registration);
      await guard.countFirstAnnouncement(applicant.ip);
      if (registration.mode !== "open") return admitByInvite(applicant, registration);
      return registration.require_proof_of_work ? admitOpenly(applicant, registration) : freeAdmission;
    },
  };
}

/** Throws REGISTRATION_CLOSED where registration is off. */
export function refuseIfClosed(registration: ServerSettings["registration"]): void {
  if (!registration.enabled) throw new RelayError("REGISTRATION_CLOSED", "this server takes no new devices");
}

function hasProof(applicant: Applicant): applicant is Applicant & { proof: DelayProof } {
  return applicant.proof !== undefined;
}

function hasChallenge(applicant: Applicant): applicant is Applicant & { challenge: Uint8Array } {
  return applicant.challenge !== undefined;
}
