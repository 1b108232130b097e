import { routes } from "../../generated/routes.js";
import type { DelayProof } from "../protocol/delay-proof.js";
import { RelayError } from "../protocol/errors.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import type { Challenges } from "./challenges.js";
import type { Invites } from "./invites.js";
import type { IpLimits } from "./ip-limits.js";
import type { Candidate, RegistrationGrant } from "./types.js";

/** Decides whether an unknown device may register. */
export type RegistrationPolicy = ReturnType<typeof createRegistrationPolicy>;

const openGrant: RegistrationGrant = { lostByBadSignature: false, use: async () => {} };

/**
 * The order is the specification's. First, registration must be enabled, and the device must present something:
 * refusals that cost no look-up are not counted. Second, the network address must not be banned or beyond its limits;
 * this is counted before any costly work. Third, the device needs an invite in the modes `invite_only` and
 * `federation_allowlist`. In the mode `open`, a proof takes precedence over an invite, an invite over a challenge that
 * is old enough, and nothing is needed if proofs are switched off.
 */
export function createRegistrationPolicy(deps: {
  settings: Pick<SettingsService, "current">;
  ipLimits: IpLimits;
  challenges: Challenges;
  invites: Invites;
}) {
  const { settings, ipLimits, challenges, invites } = deps;

  const admitByInvite = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<RegistrationGrant> => {
    const { inviteCode, now } = candidate;
    if (!rules.accept_invites) throw new RelayError("REGISTRATION_CLOSED", "this server accepts no invites");
    if (inviteCode === undefined) throw inviteRequired();
    return invites.admit(inviteCode, { trustPeers: rules.mode === "federation_allowlist", now });
  };
  const admitOpenly = (candidate: Candidate, rules: ServerSettings["registration"]): Promise<RegistrationGrant> => {
    if (hasProof(candidate)) return challenges.admitByProof(candidate, () => ipLimits.ban(candidate.ip));
    if (candidate.inviteCode !== undefined) return admitByInvite(candidate, rules);
    if (rules.allow_time_delay && hasChallenge(candidate)) {
      return challenges.admitByDelay(candidate, rules.time_delay_seconds);
    }
    throw proofRequired();
  };

  return {
    /**
     * Throws REGISTRATION_CLOSED, IP_BANNED, RATE_LIMIT_EXCEEDED, CHALLENGE_EXPIRED, INVALID_PROOF or OVERLOADED. The proof
     * or invite is used up only by the `use` of the grant.
     */
    async admit(candidate: Candidate): Promise<RegistrationGrant> {
      const { registration } = settings.current();
      refuseIfClosed(registration);
      refuseEmptyHanded(candidate, registration);
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

/** A client that does not know what is required learns it without using up the attempts of its network address. */
function refuseEmptyHanded(candidate: Candidate, rules: ServerSettings["registration"]): void {
  if (candidate.inviteCode !== undefined) return;
  if (rules.mode !== "open") throw inviteRequired();
  const bringsDelay = hasProof(candidate) || (rules.allow_time_delay && hasChallenge(candidate));
  if (rules.require_proof_of_work && !bringsDelay) throw proofRequired();
}

function inviteRequired(): RelayError {
  return new RelayError("REGISTRATION_CLOSED", "an invite is required");
}

/** Names the call that a proof begins with. */
function proofRequired(): RelayError {
  const { method, path } = routes.createRegistrationChallenge;
  const message = `is required for the first announcement of a device; begin with ${method.toUpperCase()} ${path}`;
  return new RelayError("INVALID_PROOF", "VDF proof required", {
    extras: { details: [{ path: "body/vdf_proof", message }] },
  });
}

function hasProof(candidate: Candidate): candidate is Candidate & { proof: DelayProof } {
  return candidate.proof !== undefined;
}

function hasChallenge(candidate: Candidate): candidate is Candidate & { challenge: Uint8Array } {
  return candidate.challenge !== undefined;
}
