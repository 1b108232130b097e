import { routes } from "../../generated/routes.js";
import { encodeHex } from "../protocol/encodings.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import type { AdminKey } from "./admin-key.js";

/** What a relay answers to a login. `expires_at` in Unix seconds. */
export interface LoginAnswer {
  admin_token: string;
  expires_at: number;
  permissions: string[];
  admin_level: string;
}

const timeoutMillis = 15_000;

/**
 * Logs in at a relay. The signature names `domain` as its audience, so that no other relay can make use of it: it must
 * come from the operator, not from the relay that is asked. Throws an Error with the relay's own message.
 */
export async function logIn(key: AdminKey, relay: { url: string; domain: string }, now: number): Promise<LoginAnswer> {
  const { challenge } = await ask<{ challenge: string }>(relay.url, "getAdminChallenge");
  const audience = relay.domain;
  return ask<LoginAnswer>(relay.url, "loginAdmin", {
    device_id: deviceIdOf(key.publicKey),
    challenge,
    challenge_signature: key.sign(adminChallengeText({ challenge, audience })),
    timestamp: now,
    audience,
  });
}

/** One line about whose key it is, to be given to whoever keeps the list. */
export function describeKey(publicKey: Uint8Array): string {
  return `device id   ${deviceIdOf(publicKey)}\npublic key  ${encodeHex(publicKey)}`;
}

async function ask<T>(url: string, operation: "getAdminChallenge" | "loginAdmin", body?: object): Promise<T> {
  const { method, path } = routes[operation];
  const response = await fetch(new URL(path, url), {
    method: method.toUpperCase(),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMillis),
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const answer = (await response.json().catch(() => ({}))) as T & { error?: string; message?: string };
  if (response.ok) return answer;
  throw new Error(`the relay refused: ${answer.error ?? response.status} ${answer.message ?? ""}`.trimEnd());
}
