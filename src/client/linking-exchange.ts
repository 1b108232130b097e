// Linking a new device over a relay. linking.ts encrypts the payload and computes the short code.

import { encodeHex } from "../protocol/encodings.js";
import { demandBytes, demandClient, demandConnection, demandNumber, demandOptions, demandString } from "./arguments.js";
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
import { withRelayTime } from "./relay-clock.js";

/** A new device waiting to be linked. */
export interface PendingLinking {
  /** The text of the QR code to show. */
  qr: string;
  /** Unix seconds. */
  expiresAt: number;
  /**
   * Waits for the payload from the other device. Rejects if it does not arrive in time or is not for this device, or
   * with the signal's reason.
   */
  arrived(signal?: AbortSignal): Promise<ReceivedLinkingPayload>;
}

const defaultTtlSeconds = 300;
const shortestTtlSeconds = 30;
const longestTtlSeconds = 300;
const longestWaitSeconds = 60;
/** A long poll takes longer than other calls. */
const pollTimeoutSeconds = 75;

/** Starts linking on the new device: opens an address at the relay and makes the QR code. */
export async function beginLinking(connection: Connection, ttlSeconds = defaultTtlSeconds): Promise<PendingLinking> {
  demandConnection(connection, "connection");
  demandNumber(ttlSeconds, "ttlSeconds", [shortestTtlSeconds, longestTtlSeconds]);
  const { caller, clock, url, runtime } = connection;
  const { secretKey, publicKey } = newLinkingKeys(runtime.randomBytes);
  const request = { ephemeral_public_key: encodeHex(publicKey), ttl_seconds: ttlSeconds };
  const answer = await withRelayTime(clock, (now) =>
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
 * Sends the payload from the existing device to the one that shows the QR code. Returns the code to show, which the
 * user compares with the new device's. Throws MalformedError if the QR code is invalid, expired, or for another relay.
 */
export async function answerLinking(
  device: DeviceClient,
  options: { qr: string; payload: Uint8Array },
): Promise<{ code: string }> {
  demandClient(device, "device");
  demandOptions(options, "options");
  demandString(options.qr, "qr");
  demandBytes(options.payload, "payload");
  const { qr: text, payload } = options;
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
