import type { KeyObject } from "node:crypto";
import { CompactSign, compactVerify } from "jose";

/** What a server signs with its certificate's key to show that it is the one in it. */
export interface ChallengeAnswer {
  nonce: string;
  /** Who signs. */
  originServer: string;
  /** The domain that the signer looked up, so that an answer cannot be passed on to another server. */
  audience: string;
}

export const answerType = "svc-federation-answer+jwt";
export const longestAnswer = 4096;

/** A compact JWS of the answer. Throws for a key that no algorithm here fits. */
export async function signAnswer(answer: ChallengeAnswer, privateKey: KeyObject): Promise<string> {
  const [alg] = algorithmsOf(privateKey);
  if (alg === undefined) throw new Error("the certificate's key is of a kind that cannot sign answers");
  const { nonce, originServer, audience } = answer;
  const payload = JSON.stringify({ nonce, origin_server: originServer, aud: audience });
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, typ: answerType })
    .sign(privateKey);
}

/** What an answer says, whoever signed it; undefined for what is none. Costs next to nothing. */
export function peekAnswer(jws: string): ChallengeAnswer | undefined {
  const [, payload, signature, ...more] = jws.length > longestAnswer ? [] : jws.split(".");
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  try {
    return parsePayload(Buffer.from(payload, "base64url"));
  } catch {
    return undefined;
  }
}

/**
 * What the answer says, where the key signed it: with an algorithm that belongs to the key, and as the type that answers
 * have. Undefined for everything else.
 */
export async function readAnswer(jws: string, publicKey: KeyObject): Promise<ChallengeAnswer | undefined> {
  const algorithms = algorithmsOf(publicKey);
  if (jws.length > longestAnswer || algorithms.length === 0) return undefined;
  try {
    const { payload, protectedHeader } = await compactVerify(jws, publicKey, { algorithms: [...algorithms] });
    return protectedHeader.typ === answerType ? parsePayload(payload) : undefined;
  } catch {
    return undefined;
  }
}

/** The algorithms that fit a key; the first is the one to sign with. */
function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): readonly string[] {
  if (type === "ed25519") return ["EdDSA"];
  if (type === "rsa") return ["PS256", "RS256"];
  if (type !== "ec") return [];
  return curveAlgorithms[details?.namedCurve ?? ""] ?? [];
}

const curveAlgorithms: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ["ES256"],
  secp384r1: ["ES384"],
  secp521r1: ["ES512"],
};

function parsePayload(payload: Uint8Array): ChallengeAnswer | undefined {
  const value = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown> | null;
  const { nonce, origin_server: originServer, aud: audience } = value ?? {};
  if (typeof nonce !== "string" || typeof originServer !== "string" || typeof audience !== "string") return undefined;
  return { nonce, originServer, audience };
}
