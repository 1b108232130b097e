import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { Random } from "../platform/random.js";
import { type DelayProof, delayProofInput } from "../protocol/delay-proof.js";
import { equalBytes } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import type { ProofPool } from "./proof-pool.js";
import { findChallenge, insertChallenge, type StoredChallenge, useChallenge } from "./store.js";
import type { Admission, Candidate } from "./types.js";

const challengeBytes = 32;

/** Makes challenges, and admits applicants that have proved a delay by one. */
export interface Challenges {
  issue(publicKey: Uint8Array, iterations: number): Promise<Omit<StoredChallenge, "usedAt">>;
  /**
   * Admits for a right proof. Throws CHALLENGE_EXPIRED, INVALID_PROOF, or OVERLOADED when too many proofs are being
   * checked, or INVALID_REQUEST when the client has gone, by when nothing is used up; `onWrongOutput` is called before INVALID_PROOF if hashing gave another output.
   */
  admitByProof(candidate: Candidate & { proof: DelayProof }, onWrongOutput: () => Promise<void>): Promise<Admission>;
  /** Admits for a challenge that is at least `delaySeconds` old. Throws CHALLENGE_EXPIRED or INVALID_PROOF. */
  admitByDelay(candidate: Candidate & { challenge: Uint8Array }, delaySeconds: number): Promise<Admission>;
}

/**
 * A challenge goes from issued to used or expired. A proof is checked without holding anything in the database; so two
 * requests with one proof may both be found right, and the update that marks the challenge as used decides.
 */
export function createChallenges(deps: {
  db: Knex;
  clock: Clock;
  random: Random;
  proofPool: Pick<ProofPool, "verify">;
  config: Pick<Config, "challengeLifetimeSeconds">;
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
      checkAgainst(challenge, proof);
      if (!(await verifyWhileAwaited(proofPool, proof, candidate.gone))) {
        await onWrongOutput();
        throw new RelayError("INVALID_PROOF", "invalid VDF proof");
      }
      return admission(challenge, candidate.now);
    },
    async admitByDelay(candidate, delaySeconds) {
      const challenge = checkOpen(await findChallenge(db, candidate.challenge), candidate);
      const waited = candidate.now - challenge.createdAt;
      if (waited < delaySeconds) {
        throw new RelayError("INVALID_PROOF", `the challenge must be ${delaySeconds} seconds old, it is ${waited}`);
      }
      return admission(challenge, candidate.now);
    },
  };
}

/** Hashing stops when the client goes: its answer would reach nobody, and others wait for the threads. */
async function verifyWhileAwaited(
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

/** A challenge must exist, belong to the applicant's key, be unexpired and unused, in this order. */
function checkOpen(challenge: StoredChallenge | undefined, { publicKey, now }: Candidate): StoredChallenge {
  if (challenge === undefined) throw new RelayError("CHALLENGE_EXPIRED", "invalid or expired challenge");
  if (!equalBytes(challenge.publicKey, publicKey)) {
    throw new RelayError("INVALID_PROOF", "challenge issued to a different device");
  }
  if (challenge.expiresAt <= now) throw new RelayError("CHALLENGE_EXPIRED", "invalid or expired challenge");
  if (challenge.usedAt !== null) throw alreadyUsed();
  return challenge;
}

function checkAgainst(challenge: StoredChallenge, proof: DelayProof): void {
  if (!equalBytes(proof.input, delayProofInput(challenge.challenge, challenge.publicKey))) {
    throw new RelayError("INVALID_PROOF", "VDF input mismatch");
  }
  if (proof.iterations !== challenge.iterations) throw new RelayError("INVALID_PROOF", "VDF iterations mismatch");
}

function admission({ challenge }: StoredChallenge, now: number): Admission {
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
