import type { components } from "../../../generated/openapi-types.js";
import type { DelayProof } from "../../protocol/delay-proof.js";
import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import { announcementText, prefixAnnouncementText } from "../../protocol/signed-text.js";
import type { Connection } from "../connection/connection.js";
import { prefixOf } from "../connection/ended-addresses.js";
import { isAnswer } from "../connection/failures.js";
import { withRelayTime } from "../connection/relay-clock.js";
import type { Session } from "../connection/session.js";
import type { DeviceKeys } from "../crypto/keys.js";
import {
  demandArray,
  demandFunction,
  demandOneOf,
  demandOptions,
  demandPrefix,
  demandSeconds,
  demandSignal,
  demandString,
  ifGiven,
} from "../runtime/arguments.js";
import { loaded } from "../runtime/loading.js";

type Schemas = components["schemas"];
type Request = Schemas["AnnounceWithProofRequest"];

/** How a device is admitted when it announces itself for the first time. */
export type Admission =
  | {
      /** Computes a delay proof in a worker, which takes a second or more. */
      by: "proof";
      onProgress?: ((done: number, iterations: number) => void) | undefined;
    }
  | { by: "invite"; code: string }
  /** Asks for a challenge and waits until it is old enough, if the relay allows that. */
  | { by: "waiting"; seconds: number }
  /** For a device that the relay already knows, and for a relay that requires nothing. */
  | { by: "nothing" };

export interface AnnounceOptions {
  /** A delay proof by default. A device that the relay already knows needs nothing. */
  admission?: Admission | undefined;
  storagePreferences?: Schemas["StoragePreferences"] | undefined;
  /** Ends all other sessions of the device. */
  revokeOthers?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Maximum number of active prefixes of a device that announces prefixes (specification, "Limits"). */
export const maxPrefixes = 10;

function demandAnnounceOptions({ admission, storagePreferences, signal }: AnnounceOptions): void {
  ifGiven(storagePreferences, (preferences) => demandOptions(preferences, "storagePreferences"));
  ifGiven(signal, () => demandSignal(signal, "signal"));
  ifGiven(admission, demandAdmission);
}

function demandAdmission(admission: Admission): void {
  demandOptions(admission, "admission");
  demandOneOf(admission.by, "admission.by", ["proof", "invite", "waiting", "nothing"]);
  if (admission.by === "invite") demandString(admission.code, "admission.code");
  if (admission.by === "waiting") demandSeconds(admission.seconds, "admission.seconds");
  if (admission.by !== "proof") return;
  ifGiven(admission.onProgress, (onProgress) => demandFunction(onProgress, "admission.onProgress"));
}

/** Registers the device, or adds an address to a registered one. The relay chooses the address at random. */
export async function announceForAddress(
  connection: Connection,
  keys: DeviceKeys,
  options: AnnounceOptions = {},
): Promise<Session> {
  demandAnnounceOptions(options);
  const answer = await signedOnce(connection, keys, async (now) => {
    const common = await commonMembers(connection, keys, options);
    const timestamp = now();
    const text = announcementText({ deviceId: keys.deviceId, timestamp, audience: connection.domain });
    const body = { ...common, public_key: encodeHex(keys.publicKey), timestamp, signature: await keys.sign(text) };
    return connection.caller.call("announceWithProof", { body, ...signalOf(options) });
  });
  return sessionOf(connection, answer, [answer.delivery_address.full_address]);
}

/** Claims or renews addresses that the device chooses: each prefix is 16 random bytes, as 32 hex digits or a UUID. */
export async function announcePrefixes(
  connection: Connection,
  keys: DeviceKeys,
  options: AnnounceOptions & { prefixes: readonly string[] },
): Promise<Session> {
  demandAnnounceOptions(options);
  demandArray(options.prefixes, { what: "prefixes", max: maxPrefixes }, demandPrefix);
  // A relay refuses the same prefix twice, in whatever spelling.
  const prefixes = [...new Map(options.prefixes.map((prefix) => [prefixOf(prefix), prefix])).values()];
  const answer = await signedOnce(connection, keys, async (now) => {
    const common = await commonMembers(connection, keys, options);
    const { deviceId } = keys;
    const timestamp = now();
    const text = prefixAnnouncementText({ deviceId, prefixes, timestamp, audience: connection.domain });
    const own = { public_key: encodeHex(keys.publicKey), delivery_address_prefixes: prefixes };
    const body = { ...common, ...own, timestamp, signature: await keys.sign(text) };
    return connection.caller.call("announceDevice", { body, ...signalOf(options) });
  });
  return sessionOf(connection, answer, answer.announced_addresses);
}

/** When each device last signed an announcement here, in Unix seconds of the relay's clock. */
const lastSigned = new WeakMap<DeviceKeys, number>();
/** If the last signing time is further ahead than this, it dates from before the relay's time was known. */
const maxAheadSeconds = 30;

/** Tabs that start at once, each with this device, need as many attempts as there are. */
const maxAttempts = 10;

/**
 * Signs for a second that no earlier announcement of the device used, because a relay accepts each signed text once. If
 * another program with the same keys has used that second, it tries another one nearby.
 */
async function signedOnce<T>(
  { clock, runtime }: Connection,
  keys: DeviceKeys,
  request: (now: () => number) => Promise<T>,
): Promise<T> {
  let spread = 0;
  const unused = (now: () => number) => () => {
    const [present, last] = [now() + Math.floor(spread * runtime.fraction()), lastSigned.get(keys) ?? 0];
    const timestamp = present <= last && last - present < maxAheadSeconds ? last + 1 : present;
    lastSigned.set(keys, timestamp);
    return timestamp;
  };
  for (let attempts = 1; ; attempts++) {
    try {
      return await withRelayTime(clock, (now) => request(unused(now)));
    } catch (failure) {
      if (!isAnswer(failure, "CONFLICT") || attempts === maxAttempts) throw failure;
      spread = Math.min(maxAheadSeconds / 2, 2 * attempts);
    }
  }
}

type Common = Pick<
  Request,
  "device_id" | "audience" | "vdf_proof" | "challenge" | "invite_code" | "revoke_others" | "storage_preferences"
>;

async function commonMembers(connection: Connection, keys: DeviceKeys, options: AnnounceOptions): Promise<Common> {
  const { storagePreferences, revokeOthers } = options;
  return {
    device_id: keys.deviceId,
    audience: connection.domain,
    ...(storagePreferences && { storage_preferences: storagePreferences }),
    ...(revokeOthers === true && { revoke_others: true }),
    ...(await admissionMembers(connection, keys, options)),
  };
}

type AdmissionMembers = Pick<Request, "vdf_proof" | "challenge" | "invite_code">;

async function admissionMembers(
  connection: Connection,
  keys: DeviceKeys,
  { admission = { by: "proof" }, signal }: AnnounceOptions,
): Promise<AdmissionMembers> {
  switch (admission.by) {
    case "nothing":
      return {};
    case "invite":
      return { invite_code: admission.code };
    case "waiting": {
      const { challenge } = await askForChallenge(connection, keys, signal);
      await connection.runtime.sleep(1000 * admission.seconds, signal);
      return { challenge };
    }
    case "proof": {
      const { challenge, iterations } = await askForChallenge(connection, keys, signal);
      const { delayProofInput, solveDelayProof } = await loaded(import("./delay-proof.js"));
      const input = delayProofInput(decodeHex(challenge, 32) as Uint8Array, keys.publicKey);
      const { onProgress } = admission;
      return { vdf_proof: encodeProof(await solveDelayProof({ input, iterations, onProgress, signal })) };
    }
  }
}

function askForChallenge({ caller }: Connection, keys: DeviceKeys, signal: AbortSignal | undefined) {
  const body = { public_key: encodeHex(keys.publicKey) };
  return caller.call("createRegistrationChallenge", { body, ...signalOf({ signal }) });
}

function encodeProof({ input, iterations, output, checkpoints = [] }: DelayProof): Schemas["DelayProof"] {
  return { input: encodeHex(input), iterations, output: encodeHex(output), checkpoints: checkpoints.map(encodeHex) };
}

function sessionOf(
  { clock }: Connection,
  answer: { access_token: string; expires_at: number },
  addresses: readonly string[],
): Session {
  const { access_token: accessToken, expires_at: expiresAt } = answer;
  return { accessToken, expiresAt, addresses, announcedAt: clock.nowSeconds() };
}

function signalOf({ signal }: { signal?: AbortSignal | undefined }): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
