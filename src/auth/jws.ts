import type { KeyObject } from "node:crypto";
import { CompactSign, compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";

/** The protected header of every JWS made here: nothing but these three members. */
export interface JwsHeader {
  alg: "EdDSA";
  typ: string;
  kid: string;
}

/** A parsed JWS whose signature has not been checked yet. */
export interface DecodedJws {
  token: string;
  header: JwsHeader;
  payload: JWTPayload;
}

const longestToken = 8192;

/** A compact JWS (RFC 7515) signed with EdDSA (RFC 8037). */
export function signJws(header: JwsHeader, payload: Record<string, unknown>, privateKey: KeyObject): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ ...header }).sign(privateKey);
}

/**
 * Parses a compact JWS without trusting any of it. Returns undefined unless it has three parts of canonical base64url (so
 * that a token has only one spelling), a header of exactly alg (EdDSA), typ and kid, and an object as its payload.
 */
export function decodeJws(token: string): DecodedJws | undefined {
  if (token.length > longestToken) return undefined;
  const parts = token.split(".");
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    return isHeader(header) ? { token, header, payload: decodeJwt(token) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this key made the signature. */
export async function verifyJws({ token }: DecodedJws, publicKey: KeyObject): Promise<boolean> {
  try {
    await compactVerify(token, publicKey, { algorithms: ["EdDSA"] });
    return true;
  } catch {
    return false;
  }
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

function isHeader(value: object): value is JwsHeader {
  if (Object.keys(value).length !== 3) return false;
  const { alg, typ, kid } = value as Partial<Record<string, unknown>>;
  return alg === "EdDSA" && typeof typ === "string" && typeof kid === "string";
}
