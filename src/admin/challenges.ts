import { keyedHash } from "../auth/keyed-hash.js";
import { deleteSecrets, type Secrets } from "../auth/secrets.js";
import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { concatBytes, decodeHex, encodeHex, equalBytes } from "../protocol/encodings.js";
import type { AdminSettings } from "./config.js";

/** A challenge of this server that has not expired. */
export interface OpenChallenge {
  challenge: Uint8Array;
  expiresAt: number;
}

/** After a restore, it is not known which challenges have been used. */
export async function voidAdminChallenges(db: Db): Promise<void> {
  await deleteSecrets(db, [adminChallengesSecret]);
}

/** Challenges that prove their own origin, so that issuing one stores nothing. */
export type AdminChallenges = ReturnType<typeof createAdminChallenges>;

/** The name of the secret that is the challenges' key. */
const adminChallengesSecret = "admin-challenges";
const expiryBytes = 4;
const randomBytes = 12;
const proofBytes = 16;

/** A challenge has 32 bytes: its expiry (Unix seconds), random bytes, and a keyed hash of both by a secret of all nodes. */
export function createAdminChallenges(deps: {
  clock: Clock;
  random: Random;
  secrets: Pick<Secrets, "get">;
  config: Pick<AdminSettings, "adminChallengeLifetimeSeconds">;
}) {
  const { clock, random, secrets, config } = deps;
  const proofOf = async (stem: Uint8Array): Promise<Uint8Array> =>
    keyedHash(await secrets.get(adminChallengesSecret), stem).subarray(0, proofBytes);

  return {
    async issue(): Promise<{ challenge: string; expiresAt: number }> {
      const expiresAt = clock.nowSeconds() + config.adminChallengeLifetimeSeconds;
      const stem = concatBytes(bigEndian(expiresAt), random.bytes(randomBytes));
      return { challenge: encodeHex(concatBytes(stem, await proofOf(stem))), expiresAt };
    },
    /** Opens a challenge; undefined if it is not of this server or has expired. It may have been used before. */
    async open(text: string): Promise<OpenChallenge | undefined> {
      const challenge = decodeHex(text, expiryBytes + randomBytes + proofBytes);
      if (challenge === undefined) return undefined;
      const stem = challenge.subarray(0, expiryBytes + randomBytes);
      if (!equalBytes(await proofOf(stem), challenge.subarray(stem.length))) return undefined;
      const expiresAt = new DataView(challenge.buffer, challenge.byteOffset).getUint32(0);
      return expiresAt > clock.nowSeconds() ? { challenge, expiresAt } : undefined;
    },
  };
}

function bigEndian(seconds: number): Uint8Array {
  const bytes = new Uint8Array(expiryBytes);
  new DataView(bytes.buffer).setUint32(0, seconds);
  return bytes;
}
