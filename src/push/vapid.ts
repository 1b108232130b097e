import { createECDH, createHash, createPrivateKey, hkdfSync, sign } from "node:crypto";
import type { Secrets } from "../auth/secrets.js";
import { createLruCache } from "../platform/lru-cache.js";
import { hourSeconds } from "../protocol/units.js";

/** The name of the secret that the VAPID key is made from. Without it, the next start makes another key. */
export const vapidSecret = "push vapid key";

/** The key by which push services recognise this relay (RFC 8292). Nothing else is signed with it. */
export interface VapidKey {
  /** The first 16 bytes of the SHA-256 hash of the public key, in hex. */
  id: string;
  /** An uncompressed point of P-256 in base64url. */
  publicKey: string;
  /** The header Authorization of a request to this origin, at a time in Unix seconds. */
  authorization(origin: string, now: number): string;
}

/** RFC 8292 allows no more than a day. A service whose clock is behind still accepts this. */
const lifetimeSeconds = 12 * hourSeconds;
const reusedForSeconds = hourSeconds;
const originsRemembered = 1_000;
const orderOfP256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Loads the key that all nodes of this relay share. `subject` tells services whom to ask about the relay's pushes. */
export async function loadVapidKey(secrets: Pick<Secrets, "get">, subject: string): Promise<VapidKey> {
  const privateKey = scalarFrom(await secrets.get(vapidSecret));
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(privateKey);
  const publicKey = ecdh.getPublicKey();
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map((part) => part.toString("base64url"));
  const d = privateKey.toString("base64url");
  const key = createPrivateKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "", d }, format: "jwk" });
  const tokens = createLruCache<string, { token: string; madeAt: number }>(originsRemembered);

  const makeToken = (origin: string, now: number): string => {
    const claims = { aud: origin, exp: now + lifetimeSeconds, sub: subject };
    const signed = `${encodeJson({ typ: "JWT", alg: "ES256" })}.${encodeJson(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  };

  return {
    id: createHash("sha256").update(publicKey).digest("hex").slice(0, 32),
    publicKey: publicKey.toString("base64url"),
    authorization(origin, now) {
      let made = tokens.get(origin);
      if (made === undefined || Math.abs(now - made.madeAt) > reusedForSeconds) {
        made = { token: makeToken(origin, now), madeAt: now };
        tokens.set(origin, made);
      }
      return `vapid t=${made.token}, k=${publicKey.toString("base64url")}`;
    },
  };
}

/** A private key of P-256 (FIPS 186-5, A.2.1: extra random bits, so that no value is noticeably more frequent). */
function scalarFrom(secret: Uint8Array): Buffer {
  const bytes = Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), Buffer.from("mls-relay VAPID key 1"), 48));
  const scalar = (BigInt(`0x${bytes.toString("hex")}`) % (orderOfP256 - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
