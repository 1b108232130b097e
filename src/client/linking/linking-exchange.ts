// Linking a new device over a relay. linking-payload.ts, which is loaded then, encrypts the payload and computes the short code.

import { encodeHex, equalBytes } from "../../protocol/encodings.js";
import { downloadIdBytes } from "../../protocol/identifiers.js";
import type { CallOptions } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import { ConnectionError, isAnswer } from "../connection/failures.js";
import { withRelayTime } from "../connection/relay-clock.js";
import type { DeviceClient } from "../device/client.js";
import {
  demandBytes,
  demandClient,
  demandConnection,
  demandNumber,
  demandOptions,
  demandString,
} from "../runtime/arguments.js";
import { MalformedError } from "../runtime/json-shape.js";
import { loaded } from "../runtime/loading.js";
import type { ReceivedLinkingPayload } from "./linking-payload.js";
import { newLinkingKeys, readLinkingQr, writeLinkingQr } from "./linking-qr.js";

/** A new device waiting to be linked. */
export interface PendingLinking {
  /** The text of the QR code to show. */
  qr: string;
  /** Unix seconds. */
  expiresAt: number;
  /**
   * Leaves a text at the relay, the QR code's if none is given, and returns a short code that a person can type into the other device instead of scanning it
   * (`getLinkingCode`). The relay could hand out another text: the comparison of codes alone protects what is sent then.
   */
  code(qr?: string, options?: CallOptions): Promise<string>;
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
const leavingAttempts = 3;

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
  const newDownloadId = () => encodeHex(runtime.randomBytes(downloadIdBytes));
  let downloadId = newDownloadId();
  const path = { id: idOf(provisioningAddress) };
  const ownQr = writeLinkingQr({ ephemeralPublicKey: publicKey, provisioningAddress, server: url, expiresAt });
  return {
    qr: ownQr,
    expiresAt,
    async code(qr = ownQr, options = {}) {
      const headers = { "X-Poll-Token": pollToken };
      return (await caller.call("createLinkingCode", { ...options, path, headers, body: { qr } })).linking_code;
    },
    async arrived(signal) {
      const { openLinkingPayload } = await loaded(import("./linking-payload.js"));
      for (;;) {
        const wait = Math.min(longestWaitSeconds, Math.max(0, expiresAt - clock.nowSeconds()));
        // The network may be away for a while; after that the same download gets the payload again if its answer was lost.
        const body = await caller
          .call("pollProvisioningBlob", {
            path,
            headers: { "X-Poll-Token": pollToken, "X-Download-Id": downloadId },
            query: { wait },
            timeoutSeconds: pollTimeoutSeconds,
            ...(signal && { signal }),
          })
          .catch((failure: unknown) => {
            if (failure instanceof ConnectionError && clock.nowSeconds() < expiresAt) return undefined;
            throw failure;
          });
        const ciphertext = body?.ciphertext;
        if (ciphertext !== undefined) {
          downloadId = newDownloadId();
          return openLinkingPayload(ciphertext, { secretKey, provisioningAddress });
        }
        await runtime.sleep(wait === 0 || body === undefined ? 1_000 : 0, signal);
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
  const { sealLinkingPayload } = await loaded(import("./linking-payload.js"));
  const unanswered = unansweredOf(device);
  const before = unanswered.get(text);
  const isRepeated = before !== undefined && equalBytes(before.payload, payload);
  const { ciphertext, code } = isRepeated ? before : sealLinkingPayload(payload, qr, runtime.randomBytes);
  unanswered.set(text, { payload: payload.slice(), ciphertext, code });
  try {
    await leave(device, { id: idOf(qr.provisioningAddress), ciphertext, isRepeated });
  } catch (failure) {
    if (!(failure instanceof ConnectionError)) unanswered.delete(text);
    throw failure;
  }
  unanswered.delete(text);
  return { code };
}

/** The payloads whose upload was not answered, by the QR code that they are for. */
type Unanswered = Map<string, { payload: Uint8Array; ciphertext: string; code: string }>;
const unansweredByDevice = new WeakMap<DeviceClient, Unanswered>();

function unansweredOf(device: DeviceClient): Unanswered {
  const known = unansweredByDevice.get(device) ?? new Map();
  unansweredByDevice.set(device, known);
  return known;
}

/**
 * Leaves a payload at the relay. After a lost answer it is sent again: that the address is filled, or emptied, then shows that it had
 * arrived. Should it be filled by somebody else, the codes that the user compares differ.
 */
async function leave(
  device: DeviceClient,
  { id, ciphertext, isRepeated }: { id: string; ciphertext: string; isRepeated: boolean },
): Promise<void> {
  const { runtime } = device.connection;
  let isAgain = isRepeated;
  for (let left = leavingAttempts; ; left--) {
    try {
      await device.call("putProvisioningBlob", { path: { id }, body: { ciphertext } });
      return;
    } catch (failure) {
      if (isAgain && (isAnswer(failure, "CONFLICT") || isAnswer(failure, "NOT_FOUND"))) return;
      if (!(failure instanceof ConnectionError) || left <= 1) throw failure;
    }
    isAgain = true;
    await runtime.sleep(1_000);
  }
}

function idOf(provisioningAddress: string): string {
  return provisioningAddress.slice(0, provisioningAddress.indexOf("@"));
}
