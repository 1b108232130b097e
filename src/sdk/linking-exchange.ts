// Linking a new device over a relay. The bytes and the short code are linking.ts's affair.

import { encodeHex } from "../protocol/encodings.js";
import type { DeviceClient } from "./client.js";
import type { Connection } from "./connection.js";
import { MalformedError } from "./json-shape.js";
import {
  newLinkingKeys,
  openLinkingPayload,
  type ReceivedLinkingPayload,
  readLinkingQr,
  sealLinkingPayload,
  writeLinkingQr,
} from "./linking.js";
import { whenTimely } from "./relay-clock.js";

/** A new device that waits to be linked. */
export interface PendingLinking {
  /** The text of the QR code to show. */
  qr: string;
  /** Unix seconds. */
  expiresAt: number;
  /**
   * Waits until the other device has sent the payload, then shows the code. Rejects where it does not come in time, where
   * what came is not for this device, or with the signal's reason.
   */
  arrived(signal?: AbortSignal): Promise<ReceivedLinkingPayload>;
}

const usualTtlSeconds = 300;
const longestWaitSeconds = 60;
/** A waiting poll may take longer than other calls. */
const pollTimeoutSeconds = 75;

/** Begins on the new device: opens an address at the relay and makes the QR code. */
export async function beginLinking(
  { caller, clock, url, runtime }: Connection,
  ttlSeconds = usualTtlSeconds,
): Promise<PendingLinking> {
  const { secretKey, publicKey } = newLinkingKeys(runtime.randomBytes);
  const request = { ephemeral_public_key: encodeHex(publicKey), ttl_seconds: ttlSeconds };
  const answer = await whenTimely(clock, (now) =>
    caller.call("createProvisioning", { body: { ...request, timestamp: now() } }),
  );
  const { provisioning_address: provisioningAddress, poll_token: pollToken, expires_at: expiresAt } = answer;
  return {
    qr: writeLinkingQr({ ephemeralPublicKey: publicKey, provisioningAddress, server: url, expiresAt }),
    expiresAt,
    async arrived(signal) {
      for (;;) {
        const wait = Math.min(longestWaitSeconds, Math.max(0, expiresAt - clock.nowSeconds()));
        const body = await caller.call("pollProvisioningBlob", {
          path: { id: idOf(provisioningAddress) },
          headers: { "X-Poll-Token": pollToken },
          query: { wait },
          timeoutSeconds: pollTimeoutSeconds,
          ...(signal && { signal }),
        });
        const { ciphertext } = body;
        if (ciphertext !== undefined) return openLinkingPayload(ciphertext, { secretKey, provisioningAddress });
        await runtime.sleep(wait === 0 ? 1_000 : 0, signal);
      }
    },
  };
}

/**
 * Sends the payload from the existing device to the one that shows the QR code, and answers the code to show: the user
 * compares it with the new device's. Throws MalformedError where the QR code is none, has expired, or is for another relay.
 */
export async function answerLinking(
  device: DeviceClient,
  { qr: text, payload }: { qr: string; payload: Uint8Array },
): Promise<{ code: string }> {
  const { clock, domain, runtime } = device.connection;
  const qr = readLinkingQr(text, clock.nowSeconds());
  if (!qr.provisioningAddress.endsWith(`@${domain}`)) throw new MalformedError("the QR code is for another relay");
  const { ciphertext, code } = sealLinkingPayload(payload, qr, runtime.randomBytes);
  await device.call("putProvisioningBlob", { path: { id: idOf(qr.provisioningAddress) }, body: { ciphertext } });
  return { code };
}

function idOf(provisioningAddress: string): string {
  return provisioningAddress.slice(0, provisioningAddress.indexOf("@"));
}
