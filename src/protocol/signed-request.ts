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
  const signer = form === "adminChallenge" ? "the administrator's" : "the device's";
  const message = `must be by ${signer} key over ${signedTextForms[form]}, in UTF-8; if an audience is sent, a newline and the audience follow`;
  return new RelayError("INVALID_SIGNATURE", "invalid signature", {
    extras: { details: [{ path: `body/${member}`, message }] },
  });
}
