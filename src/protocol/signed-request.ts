// What every signed request is held to besides its signature: the server that it is meant for, and its age.

import { parseDomain } from "./address.js";
import { invalidMember, RelayError } from "./errors.js";
import { isTimely, type SignedTextForm, signedTextForms } from "./signed-text.js";

/** How far a signed request's timestamp may lie behind the server's time and ahead of it. */
export interface TimestampWindow {
  timestampWindowPastSeconds: number;
  timestampWindowFutureSeconds: number;
}

/** Throws INVALID_REQUEST if a request names an audience that is not this server. */
export function checkAudience(audience: string | undefined, domain: string): void {
  if (audience === undefined || parseDomain(audience, { ownDomain: domain }) === domain) return;
  throw invalidMember("audience", `must be ${domain}, the domain of this server`);
}

/** Throws INVALID_REQUEST with `server_timestamp` if a request is too old or from the future. Unix seconds. */
export function checkTimestamp(timestamp: number, now: number, window: TimestampWindow): void {
  const pastSeconds = window.timestampWindowPastSeconds;
  const futureSeconds = window.timestampWindowFutureSeconds;
  if (isTimely({ timestamp, nowSeconds: now, pastSeconds, futureSeconds })) return;
  throw invalidMember("timestamp", "is outside the acceptable window", { extras: { server_timestamp: now } });
}

/** The error for a signature that does not verify. It names the form of the text to sign, never its content. */
export function invalidSignature(form: SignedTextForm, member = "signature"): RelayError {
  return new RelayError("INVALID_SIGNATURE", "invalid signature", {
    extras: { details: [signedTextDetail(form, member)] },
  });
}

/** Says which text a signature must be over. */
export function signedTextDetail(form: SignedTextForm, member: string): { path: string; message: string } {
  const audience = form === "slotTaking" ? "" : "; if an audience is sent, a newline and the audience follow";
  const message = `must be by ${signers[form] ?? "the device's key"} over ${signedTextForms[form]}, in UTF-8${audience}`;
  return { path: `body/${member}`, message };
}

const signers: Partial<Record<SignedTextForm, string>> = {
  adminChallenge: "the administrator's key",
  slotTaking: "public_key",
};
