import { routes } from "../../generated/routes.js";
import { encodeHex } from "../protocol/encodings.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import type { AdminKey } from "./admin-key.js";
import { callDirectly, type Route } from "./direct-call.js";

/** What a relay answers to a login. `expires_at` in Unix seconds. */
export interface LoginAnswer {
  admin_token: string;
  expires_at: number;
  permissions: string[];
  admin_level: string;
}

/** A relay, by its public address and name, and how it is reached. */
export interface RelayAddress {
  url: string;
  domain: string;
  route: Route;
}

const timeoutMillis = 15_000;

/**
 * Logs in at a relay. The signature names `domain` as its audience, so that no other relay can make use of it: it must
 * come from the operator, not from the relay that is asked. Throws an Error with the relay's own message.
 */
export async function logIn(key: AdminKey, relay: RelayAddress, now: number): Promise<LoginAnswer> {
  const { challenge } = await ask<{ challenge: string }>(relay, "getAdminChallenge");
  const audience = relay.domain;
  return ask<LoginAnswer>(relay, "loginAdmin", {
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

async function ask<T>(relay: RelayAddress, operation: "getAdminChallenge" | "loginAdmin", body?: object): Promise<T> {
  const { method, path } = routes[operation];
  const { status, body: answer } = await callDirectly({
    ...{ method: method.toUpperCase(), url: new URL(path, relay.url), route: relay.route, timeoutMillis },
    ...(body && { body }),
  });
  if (status >= 200 && status < 300) return answer as T;
  const { error = status, message = "" } = answer as { error?: string; message?: string };
  throw new Error(`the relay refused: ${error} ${message}`.trimEnd());
}
