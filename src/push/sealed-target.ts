import { keyedHash } from "../auth/keyed-hash.js";
import { createMasterKey } from "../auth/master-key.js";
import type { Secrets } from "../auth/secrets.js";
import type { Random } from "../platform/random.js";
import type { PushTarget } from "./types.js";

/** Encrypts where devices are pushed to. */
export interface TargetSeal {
  seal(deviceId: string, target: PushTarget): Buffer;
  open(deviceId: string, sealed: Uint8Array): PushTarget;
  /** By which the subscriptions of one push service are recognised without its name. */
  serviceOf(endpoint: string): Buffer;
}

const secretName = "push subscriptions";

/**
 * The endpoints of devices are encrypted under a secret that the master key encrypts, not under the master key: a rotation
 * then encrypts one row again instead of one for each device.
 */
export async function loadTargetSeal(secrets: Pick<Secrets, "get">, random: Random): Promise<TargetSeal> {
  const secret = await secrets.get(secretName);
  const key = createMasterKey(secret, random);
  const purpose = (deviceId: string): string => `push subscription ${deviceId}`;
  return {
    seal: (deviceId, { endpoint, p256dh, auth }) =>
      key.seal(purpose(deviceId), Buffer.from(JSON.stringify({ endpoint, p256dh, auth }))),
    open: (deviceId, sealed) =>
      JSON.parse(Buffer.from(key.open(purpose(deviceId), sealed)).toString("utf8")) as PushTarget,
    serviceOf: (endpoint) => keyedHash(secret, "push service", new URL(endpoint).origin),
  };
}
