import type { KeyObject } from "node:crypto";
import { CompactSign, compactVerify } from "jose";
import { routes } from "../../../generated/routes.js";

/** The statement that a server signs with its certificate's key to prove that it has the key. */
export interface ChallengeAnswer {
  nonce: string;
  /** The domain of the signer. */
  originServer: string;
  /** The domain that the signer looked up, so that an answer cannot be forwarded to another server. */
  audience: string;
}

const answerType = "svc-federation-answer+jwt";
const { method, path } = routes.createFederationChallenge;
/** For implementers who have only read the specification, which leaves the form open. */
export const expectedResponse =
  `it must be a compact JWS by the certificate's key with the typ ${answerType} and the claims nonce ` +
  `(from ${method.toUpperCase()} ${path}), origin_server (your domain) and aud (the domain of this server)`;
const longestAnswer = 4096;

/** A compact JWS of the answer. Throws if no supported algorithm fits the key. */
export async function signAnswer(answer: ChallengeAnswer, privateKey: KeyObject): Promise<string> {
  const [alg] = algorithmsOf(privateKey);
  if (alg === undefined) throw new Error("the certificate's key cannot sign challenge responses");
  const { nonce, originServer, audience } = answer;
  const payload = JSON.stringify({ nonce, origin_server: originServer, aud: audience });
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, typ: answerType })
    .sign(privateKey);
}

/** Parses an answer without checking its signature, which is cheap. Undefined if it is malformed. */
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
 * Parses an answer that the key has signed, with an algorithm that fits the key and the right type. Undefined for any
 * other.
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

/** The algorithms that fit a key. The first one is used to sign. */
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
