import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { type DelayProof, delayProofInput } from "../protocol/delay-proof.js";
import { equalBytes } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import type { RegistrationSettings } from "./config.js";
import type { ProofPool } from "./proof-pool.js";
import { findChallenge, insertChallenge, type StoredChallenge, useChallenge } from "./store.js";
import type { Candidate, RegistrationGrant } from "./types.js";

const challengeBytes = 32;

/** Issues challenges, and admits devices that have proved the delay of one. */
export interface Challenges {
  issue(publicKey: Uint8Array, iterations: number): Promise<Omit<StoredChallenge, "usedAt">>;
  /**
   * Grants registration for a correct proof. Throws CHALLENGE_EXPIRED, INVALID_PROOF, OVERLOADED if too many proofs are
   * being verified, or INVALID_REQUEST if the client has disconnected. Nothing is used up by an error. If hashing gives
   * another output, `onWrongOutput` is called before INVALID_PROOF is thrown.
   */
  admitByProof(
    candidate: Candidate & { proof: DelayProof },
    onWrongOutput: () => Promise<void>,
  ): Promise<RegistrationGrant>;
  /** Grants registration for a challenge that is at least `delaySeconds` old. Throws CHALLENGE_EXPIRED or INVALID_PROOF. */
  admitByDelay(candidate: Candidate & { challenge: Uint8Array }, delaySeconds: number): Promise<RegistrationGrant>;
}

/**
 * A challenge is issued, and later used or expired. A proof is verified without holding a lock or a connection, so two
 * requests with the same proof may both be found correct. The update that marks the challenge as used decides.
 */
export function createChallenges(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  proofPool: Pick<ProofPool, "verify">;
  config: Pick<RegistrationSettings, "challengeLifetimeSeconds">;
}): Challenges {
  const { db, clock, random, proofPool, config } = deps;

  return {
    async issue(publicKey, iterations) {
      const createdAt = clock.nowSeconds();
      const expiresAt = createdAt + config.challengeLifetimeSeconds;
      const challenge = { challenge: random.bytes(challengeBytes), publicKey, iterations, createdAt, expiresAt };
      await insertChallenge(db, challenge);
      return challenge;
    },
    async admitByProof(candidate, onWrongOutput) {
      const { proof } = candidate;
      const challenge = checkOpen(await findChallenge(db, proof.input.subarray(0, challengeBytes)), candidate);
      checkProofInput(challenge, proof);
      if (!(await verifyUntilDisconnect(proofPool, proof, candidate.gone))) {
        await onWrongOutput();
        throw new RelayError("INVALID_PROOF", "invalid VDF proof");
      }
      return challengeGrant(challenge, candidate.now);
    },
    async admitByDelay(candidate, delaySeconds) {
      const challenge = checkOpen(await findChallenge(db, candidate.challenge), candidate);
      const waited = candidate.now - challenge.createdAt;
      if (waited < delaySeconds) {
        throw new RelayError("INVALID_PROOF", `the challenge must be ${delaySeconds} seconds old, but is ${waited}`);
      }
      return challengeGrant(challenge, candidate.now);
    },
  };
}

/** Stops hashing when the client disconnects: nobody would get the result, and other proofs wait for the threads. */
async function verifyUntilDisconnect(
  proofPool: Pick<ProofPool, "verify">,
  proof: DelayProof,
  gone: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return await proofPool.verify(gone === undefined ? proof : { ...proof, signal: gone });
  } catch (failure) {
    if (gone?.aborted) throw new RelayError("INVALID_REQUEST", "the client has closed its connection");
    throw failure;
  }
}

/** A challenge must exist, belong to the candidate's key, be unexpired and be unused. The checks run in this order. */
function checkOpen(challenge: StoredChallenge | undefined, { publicKey, now }: Candidate): StoredChallenge {
  if (challenge === undefined) throw new RelayError("CHALLENGE_EXPIRED", "invalid or expired challenge");
  if (!equalBytes(challenge.publicKey, publicKey)) {
    throw new RelayError("INVALID_PROOF", "challenge issued to a different device");
  }
  if (challenge.expiresAt <= now) throw new RelayError("CHALLENGE_EXPIRED", "invalid or expired challenge");
  if (challenge.usedAt !== null) throw alreadyUsed();
  return challenge;
}

function checkProofInput(challenge: StoredChallenge, proof: DelayProof): void {
  if (!equalBytes(proof.input, delayProofInput(challenge.challenge, challenge.publicKey))) {
    throw new RelayError("INVALID_PROOF", "VDF input mismatch");
  }
  if (proof.iterations !== challenge.iterations) throw new RelayError("INVALID_PROOF", "VDF iterations mismatch");
}

function challengeGrant({ challenge }: StoredChallenge, now: number): RegistrationGrant {
  return {
    lostByBadSignature: true,
    async use(db) {
      if (!(await useChallenge(db, challenge, now))) throw alreadyUsed();
    },
  };
}

function alreadyUsed(): RelayError {
  return new RelayError("CHALLENGE_EXPIRED", "challenge already used");
}
