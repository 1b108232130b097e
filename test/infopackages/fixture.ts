import { randomBytes } from "node:crypto";
import { type Answer, call } from "../support/api.js";
import { demand, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

export const variants = ["sealed", "revocable", "plain"] as const;
export type Variant = (typeof variants)[number];

/** A package that was uploaded, in any of the three ways. */
export interface Uploaded {
  variant: Variant;
  segment: string;
  expiresAt: number;
  maxUses: number | null;
  /** The base64 that was sent; of a `plain` package, which the server encrypts, undefined. */
  ciphertext: string | undefined;
  revocationToken: string | undefined;
  key: string | undefined;
}

interface Draft {
  ttl?: number;
  maxUses?: number | null;
  ciphertext?: string;
  content?: object;
  /** The network address that the request comes from, by a proxy that the relay trusts. */
  ip?: string;
}

/** Members of an upload of any kind. */
export function uploadBody(variant: Variant, { ttl = 3600, maxUses, ciphertext, content }: Draft = {}) {
  return {
    ttl_seconds: ttl,
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(variant !== "revocable" && { package_type: "identity" }),
    ...(variant === "plain"
      ? { content: content ?? { display_name: "Ada" } }
      : { ciphertext: ciphertext ?? randomBytes(64).toString("base64") }),
  };
}

/** Uploads, whatever comes of it. */
export function tryUpload(
  relay: TestRelay,
  device: Pick<TestDevice, "token">,
  variant: Variant,
  draft: Draft = {},
): Promise<Answer<Record<string, unknown>>> {
  const body = uploadBody(variant, draft);
  const headers = draft.ip === undefined ? {} : { "x-forwarded-for": draft.ip };
  if (variant === "sealed") return call(relay, "uploadInfoPackage", { token: device.token, body, headers });
  if (variant === "plain") return call(relay, "uploadPlainInfoPackage", { token: device.token, body, headers });
  return call(relay, "createRevocableInfoPackage", { body, headers });
}

export async function upload(
  relay: TestRelay,
  device: Pick<TestDevice, "token">,
  variant: Variant,
  draft: Draft = {},
): Promise<Uploaded> {
  const ciphertext = variant === "plain" ? undefined : (draft.ciphertext ?? randomBytes(64).toString("base64"));
  const { body } = demand(
    await tryUpload(relay, device, variant, { ...draft, ...(ciphertext !== undefined && { ciphertext }) }),
  );
  const uploaded = body as Record<string, string | undefined>;
  return {
    variant,
    ciphertext,
    segment: uploaded["url_segment"] ?? uploaded["url"]?.split("/").at(-1) ?? "",
    expiresAt: body["expires_at"] as number,
    maxUses: body["max_uses"] as number | null,
    revocationToken: uploaded["revocation_token"],
    key: uploaded["decryption_key"],
  };
}

const downloads = {
  sealed: "getInfoPackage",
  revocable: "getRevocableInfoPackage",
  plain: "getPlainInfoPackage",
} as const;

/** Downloads a segment as if it were of this variant. */
export function download(
  relay: TestRelay,
  variant: Variant,
  segment: string,
  id?: string,
): Promise<Answer<{ ciphertext: string; [member: string]: unknown }>> {
  const params = variant === "revocable" ? { segment } : { url_segment: segment };
  return call(relay, downloads[variant], { params, ...(id !== undefined && { headers: { "x-download-id": id } }) });
}

/** Revokes as the device would, or, where a token revokes, with this one. */
export function revoke(
  relay: TestRelay,
  { variant, segment }: Pick<Uploaded, "variant" | "segment">,
  by: { token?: string | undefined; revocationToken?: string | undefined },
): Promise<Answer<{ revoked: true; revoked_at: number }>> {
  if (variant === "revocable") {
    const headers = { "x-revocation-token": by.revocationToken ?? "" };
    return call(relay, "revokeRevocableInfoPackage", { params: { segment }, headers });
  }
  const operation = variant === "sealed" ? "revokeInfoPackage" : "revokePlainInfoPackage";
  const token = by.token === undefined ? {} : { token: by.token };
  return call(relay, operation, { params: { url_segment: segment }, ...token });
}

/** Status, name and code of an answer: the three things that tell errors apart. */
export function errorOf({ status, body }: Answer<unknown>): [number, string | undefined, number | undefined] {
  const { error, code } = body as { error?: string; code?: number };
  return [status, error, code];
}

export const notFound = [404, "NOT_FOUND", 4016];
export const exhausted = [410, "INFOPACKAGE_EXHAUSTED", 4017];
export const unauthorized = [403, "UNAUTHORIZED", 4018];
