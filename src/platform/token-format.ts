import { type KeyObject, sign, verify } from "node:crypto";

/** The header of every JWS made here: nothing but these three members. */
export interface JwsHeader {
  alg: "EdDSA";
  typ: string;
  kid: string;
}

export interface ParsedJws {
  header: JwsHeader;
  payload: Record<string, unknown>;
  signature: Buffer;
  signedText: string;
}

const longestToken = 8192;
const signatureBytes = 64;

/** A compact JWS (RFC 7515) signed with EdDSA (RFC 8037). */
export function signJws(header: JwsHeader, payload: Record<string, unknown>, privateKey: KeyObject): string {
  const text = `${encodeJson(header)}.${encodeJson(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
}

/**
 * Takes a compact JWS apart, without believing any of it. Undefined for anything but three parts of canonical
 * base64url, a header of exactly alg (EdDSA), typ and kid, and an object as payload.
 */
export function parseJws(token: string): ParsedJws | undefined {
  if (token.length > longestToken) return undefined;
  const [head, body, tail, ...rest] = token.split(".");
  if (head === undefined || body === undefined || tail === undefined || rest.length > 0) return undefined;
  const header = decodeObject(head);
  const payload = decodeObject(body);
  const signature = decodeBase64Url(tail);
  if (payload === undefined || signature?.length !== signatureBytes || !isHeader(header)) return undefined;
  return { header, payload, signature, signedText: `${head}.${body}` };
}

/** Whether the signature is the key's. */
export function verifyJws(jws: ParsedJws, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(jws.signedText), publicKey, jws.signature);
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decodeObject(part: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64Url(part);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function decodeBase64Url(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}

function isHeader(value: Record<string, unknown> | undefined): value is Record<string, unknown> & JwsHeader {
  if (value === undefined || Object.keys(value).length !== 3) return false;
  return value["alg"] === "EdDSA" && typeof value["typ"] === "string" && typeof value["kid"] === "string";
}
