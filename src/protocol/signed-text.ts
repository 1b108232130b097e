// The texts that devices, admins and servers sign, member for member as they were sent. Each of the first four takes an
// audience, the domain of the server it is meant for: without one a hostile relay could replay the signature elsewhere.

import { canonicalJson } from "./canonical-json.js";

interface Audience {
  /** Domain of the server that the request is for, if the signer named it. */
  audience?: string | undefined;
}

/** The forms of the texts, for the refusal of a wrong signature. */
export const signedTextForms = {
  announcement: "<device_id>:<timestamp>",
  prefixAnnouncement: "<device_id>.<delivery_address_prefixes joined by commas>.<timestamp>",
  keyPackages:
    "<device_id>.<key_packages joined by commas>.<timestamp>, with .<replace>.<last_resort_key_package> behind it if one of these is sent, and with .<replace>.<last_resort_key_package>.<address> if address is sent",
  adminChallenge: "the 64 hex characters of the challenge, as text",
  slotTaking:
    "mls-relay commit slot taking 1, the domain of the relay with the slot in lower case, the name of the slot, and the SHA-256 of the content, both in lower-case hex, with a line feed between one and the next",
} as const;

export type SignedTextForm = keyof typeof signedTextForms;

/** What an announcement of prefixes signs: `<device_id>.<prefixes joined by comma>.<timestamp>`. */
export function prefixAnnouncementText(
  request: Audience & { deviceId: string; prefixes: readonly string[]; timestamp: number },
): string {
  return withAudience(`${request.deviceId}.${request.prefixes.join(",")}.${request.timestamp}`, request);
}

/** What a registration or rotation signs: `<device_id>:<timestamp>`. */
export function announcementText(request: Audience & { deviceId: string; timestamp: number }): string {
  return withAudience(`${request.deviceId}:${request.timestamp}`, request);
}

/**
 * What an upload of key packages signs: `<device_id>.<key_packages joined by comma>.<timestamp>`; where `replace` or the
 * last-resort package is sent, both follow, a missing `replace` as false and a missing package as nothing. If an address is
 * sent, all three follow.
 */
export function keyPackagesText(
  request: Audience & {
    deviceId: string;
    keyPackages: readonly string[];
    timestamp: number;
    replace?: boolean | undefined;
    lastResortKeyPackage?: string | undefined;
    address?: string | undefined;
  },
): string {
  const { replace, lastResortKeyPackage, address } = request;
  const base = `${request.deviceId}.${request.keyPackages.join(",")}.${request.timestamp}`;
  if (replace === undefined && lastResortKeyPackage === undefined && address === undefined)
    return withAudience(base, request);
  const members = [base, replace ?? false, lastResortKeyPackage ?? "", ...(address === undefined ? [] : [address])];
  return withAudience(members.join("."), request);
}

/** What an admin's login signs: the challenge, its 64 hex characters as text. */
export function adminChallengeText(request: Audience & { challenge: string }): string {
  return withAudience(request.challenge, request);
}

/** What a published block list signs: the document without its `signature`, canonicalised by RFC 8785. */
export function blocklistText(document: Readonly<Record<string, unknown>>): string {
  const { signature: _, ...unsigned } = document;
  return canonicalJson(unsigned);
}

/** What the receipt of a commit slot signs; `slot` (its name) and `contentHash` (SHA-256) in lower-case hex. */
export function slotReceiptText(receipt: { domain: string; slot: string; contentHash: string }): string {
  return ["mls-relay commit slot receipt 1", receipt.domain, receipt.slot, receipt.contentHash].join("\n");
}

/** What a request signs that takes a commit slot, in the same forms; `domain` in lower case. */
export function slotTakingText(taking: { domain: string; slot: string; contentHash: string }): string {
  return ["mls-relay commit slot taking 1", taking.domain, taking.slot, taking.contentHash].join("\n");
}

/** Whether a signed request's timestamp lies in [now - past, now + future]; all in Unix seconds. */
export function isTimely(request: {
  timestamp: number;
  nowSeconds: number;
  pastSeconds: number;
  futureSeconds: number;
}): boolean {
  const { timestamp, nowSeconds, pastSeconds, futureSeconds } = request;
  return timestamp >= nowSeconds - pastSeconds && timestamp <= nowSeconds + futureSeconds;
}

function withAudience(text: string, { audience }: Audience): string {
  return audience === undefined ? text : `${text}\n${audience}`;
}
