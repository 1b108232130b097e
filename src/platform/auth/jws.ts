import type { KeyObject } from "node:crypto";
import { CompactSign, compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";

/** The protected header of every JWS made here: nothing but these three members. */
export interface JwsHeader {
  alg: "EdDSA";
  typ: string;
  kid: string;
}

/** A JWS that was taken apart, its signature not yet checked. */
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
 * Takes a compact JWS apart, without believing any of it. Undefined for anything but three parts of canonical base64url (so
 * that nobody can spell one token in two ways), a header of exactly alg (EdDSA), typ and kid, and an object as payload.
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

/** Whether the signature is the key's. */
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
