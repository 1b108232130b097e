import { randomBytes } from "node:crypto";
import type { Permission } from "../../src/admin/service.js";
import type { Config } from "../../src/composition/config.js";
import type { Logger } from "../../src/platform/logger.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { publicKeyOf, sign } from "../../src/protocol/signature.js";
import { adminChallengeText } from "../../src/protocol/signed-text.js";
import { call } from "./api.js";
import { demand } from "./device.js";
import { startRelay, type TestRelay } from "./relay.js";

/** An administrator's keys, and the text that puts them on the list through the environment. */
export interface AdminKeys {
  deviceId: string;
  publicKey: string;
  secretKey: Uint8Array;
  /** For `adminList`; join several with commas. */
  seed: string;
}

/** An administrator with a session. */
export interface TestAdmin extends AdminKeys {
  token: string;
}

export function adminKeys(...permissions: Permission[]): AdminKeys {
  const secretKey = new Uint8Array(randomBytes(32));
  const publicKey = publicKeyOf(secretKey);
  const hex = encodeHex(publicKey);
  return { deviceId: deviceIdOf(publicKey), publicKey: hex, secretKey, seed: `${hex}=${permissions.join("+")}` };
}

/** A relay with one logged-in administrator, who has the given permissions (default: all). */
export async function startAdministered(
  overrides: Partial<Config> = {},
  permissions: Permission[] = ["all"],
  shared: { logger?: Logger } = {},
): Promise<{ relay: TestRelay; admin: TestAdmin }> {
  const keys = adminKeys(...permissions);
  const adminList = [keys.seed, overrides.adminList].filter(Boolean).join(",");
  const relay = await startRelay({ ...overrides, adminList }, shared);
  try {
    return { relay, admin: await logIn(relay, keys) };
  } catch (error) {
    await relay.stop();
    throw error;
  }
}

/** Begins a session. */
export async function logIn(relay: TestRelay, keys: AdminKeys): Promise<TestAdmin> {
  const { body } = demand(await call(relay, "loginAdmin", { body: await loginBody(relay, keys) }));
  return { ...keys, token: body.admin_token };
}

/** The body of a login with a new challenge, signed for this relay at its current time. */
export async function loginBody(
  relay: TestRelay,
  keys: Pick<AdminKeys, "deviceId" | "secretKey">,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const { challenge } = demand(await call(relay, "getAdminChallenge")).body;
  const audience = relay.config.domain;
  return {
    device_id: keys.deviceId,
    challenge,
    challenge_signature: sign(keys.secretKey, adminChallengeText({ challenge, audience })),
    timestamp: relay.clock.nowSeconds(),
    audience,
    ...extra,
  };
}
