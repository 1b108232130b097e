import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "../../auth/keyed-hash.js";
import { deleteSecrets, type Secrets } from "../../auth/secrets.js";
import type { Db } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Random } from "../../platform/random.js";
import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import type { FederationSettings } from "../model/config.js";
import { insertUsedNonce } from "./store.js";

/** Nonces for peers. Any node can issue and check them, and nothing is stored until one is used. */
export type Nonces = ReturnType<typeof createNonces>;

// A nonce consists of six bytes of expiry, ten random bytes, and sixteen bytes of a keyed hash over both and the origin.
const expiryBytes = 6;
const randomBytes = 10;
const openBytes = expiryBytes + randomBytes;
/** The name of the secret that seals nonces. */
export const noncesSecret = "federation-nonce";

/** After a restore, it is not known which nonces have been used. */
export async function voidNonces(db: Db): Promise<void> {
  await deleteSecrets(db, [noncesSecret]);
}

export function createNonces(deps: {
  clock: Clock;
  random: Random;
  secrets: Pick<Secrets, "get">;
  config: Pick<FederationSettings, "federationNonceSeconds">;
}) {
  const { clock, random, secrets, config } = deps;
  const seal = async (open: Buffer, origin: string): Promise<Uint8Array> =>
    keyedHash(await secrets.get(noncesSecret), origin, open).subarray(0, openBytes);

  return {
    /** Issues a nonce that only this origin can use, until `expiresAt` (Unix seconds). */
    async issue(origin: string): Promise<{ nonce: string; expiresAt: number }> {
      const expiresAt = clock.nowSeconds() + config.federationNonceSeconds;
      const open = Buffer.alloc(openBytes);
      open.writeUIntBE(expiresAt, 0, expiryBytes);
      open.set(random.bytes(randomBytes), expiryBytes);
      return { nonce: encodeHex(Buffer.concat([open, await seal(open, origin)])), expiresAt };
    },
    /** Whether the nonce was issued to this origin and has not expired. It may already have been used. */
    async isValid(nonce: string, origin: string): Promise<boolean> {
      const bytes = bytesOf(nonce);
      if (bytes === undefined || expiryOf(bytes) <= clock.nowSeconds()) return false;
      return timingSafeEqual(bytes.subarray(openBytes), await seal(bytes.subarray(0, openBytes), origin));
    },
    /** Marks a nonce as used. False if any node has already marked it. */
    async use(db: Db, nonce: string): Promise<boolean> {
      const bytes = bytesOf(nonce);
      return bytes !== undefined && insertUsedNonce(db, { nonce: bytes, expiresAt: expiryOf(bytes) });
    },
  };
}

function bytesOf(nonce: string): Buffer | undefined {
  const bytes = nonce.length === 4 * openBytes ? decodeHex(nonce) : undefined;
  return bytes === undefined ? undefined : Buffer.from(bytes);
}

function expiryOf(bytes: Buffer): number {
  return bytes.readUIntBE(0, expiryBytes);
}
