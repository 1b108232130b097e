import { routes } from "../../generated/routes.js";
import type { AdminKey } from "../auth/admin-key.js";
import { encodeHex } from "../protocol/encodings.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import { callDirectly, type Route } from "./direct-call.js";

/** The answer to a login. `expires_at` in Unix seconds. */
interface LoginAnswer {
  admin_token: string;
  expires_at: number;
  permissions: string[];
  admin_level: string;
}

/** A relay's public address and domain, and how to reach it. */
export interface RelayAddress {
  url: string;
  domain: string;
  route: Route;
}

const timeoutMillis = 15_000;

/**
 * Logs in at a relay. The signature names `domain` as its audience, so no other relay can use it. The domain must come
 * from the operator, not from the relay. Throws an Error with the relay's message.
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

/** The device id and the public key, which the operator needs to add the administrator. */
export function describeKey(publicKey: Uint8Array): string {
  return `device id   ${deviceIdOf(publicKey)}\npublic key  ${encodeHex(publicKey)}`;
}

async function ask<T>(relay: RelayAddress, operation: "getAdminChallenge" | "loginAdmin", body?: object): Promise<T> {
  const { method, path } = routes[operation];
  const { status, body: answer } = await callDirectly({
    method: method.toUpperCase(),
    url: new URL(path, relay.url),
    route: relay.route,
    timeoutMillis,
    ...(body && { body }),
  });
  if (status >= 200 && status < 300) return answer as T;
  const { error = status, message = "" } = answer as { error?: string; message?: string };
  throw new Error(`the relay refused: ${error} ${message}`.trimEnd());
}
