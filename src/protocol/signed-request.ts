// What a signed request is held to besides its age (timestamp-window.ts): the server that it is meant for, and the text that is signed.

import { parseDomain } from "./address.js";
import { invalidMember, RelayError } from "./errors.js";
import { type SignedTextForm, signedTextForms } from "./signed-text.js";

/** Throws INVALID_REQUEST if a request names an audience that is not this server. */
export function checkAudience(audience: string | undefined, domain: string): void {
  if (audience === undefined || parseDomain(audience, { ownDomain: domain }) === domain) return;
  throw invalidMember("audience", `must be ${domain}, the domain of this server`);
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
