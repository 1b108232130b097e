import { decodeBase64, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { keyPackagesText } from "../../protocol/signed-text.js";
import type { AnswerOf } from "../connection/calls.js";
import { withRelayTime } from "../connection/relay-clock.js";
import type { DeviceClient } from "../device/client.js";
import {
  demandAddress,
  demandArray,
  demandClient,
  demandDeviceId,
  demandFunction,
  demandNonEmptyBytes,
  demandNumber,
  demandOptions,
  demandSignal,
  ifGiven,
} from "../runtime/arguments.js";
import { callBack } from "../runtime/callbacks.js";
import { demandParsed } from "../runtime/json-shape.js";

export interface UploadOptions {
  /** Deletes the stored packages first, for a device that has lost their private keys. */
  replace?: boolean | undefined;
  /** The package that the relay gives out repeatedly if no other is left. */
  lastResort?: Uint8Array | undefined;
  /** An address of the device that these packages are for. Claims by that address get them first. */
  address?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Makes `count` new MLS key packages. Store their private keys before this resolves: others may use the packages at
 * once.
 */
export type MakeKeyPackages = (count: number) => Promise<readonly Uint8Array[]> | readonly Uint8Array[];

export interface TopUpOptions {
  make: MakeKeyPackages;
  /**
   * Makes the package of last resort, which the relay gives out while no other is left. `check` uploads one where the relay has none.
   * Store its private key before this resolves.
   */
  makeLastResort?: (() => Promise<Uint8Array> | Uint8Array) | undefined;
  onProblem?: ((problem: unknown) => void) | undefined;
  /** New packages are made if fewer than this remain. The default is 20. */
  lowMark?: number;
  /** Number of packages after an upload. The default is 100. */
  fillTo?: number;
  /**
   * An address of the device, to supply it with packages that are for it alone. The relay does not report how many of
   * these remain: call `check` from time to time.
   */
  address?: string;
}

/** Keeps the relay supplied with key packages. */
export interface TopUp {
  /** Pass this to `onKeyPackagesRemaining` of `receive`: uploads if few remain. */
  remaining(count: number): void;
  /** Asks the relay how many remain, and uploads if few do, or if the last resort is missing. */
  check(): Promise<void>;
}

export interface FetchedKeyPackage {
  keyPackage: Uint8Array;
  /** How many packages the relay has left for the device. */
  remaining: number;
  /** The relay may give the same package to others. */
  isLastResort: boolean;
}

/** Maximum number of packages in one upload (specification, "Limits"). */
const maxPerUpload = 100;
const claimIdBytes = 32;
/** More than any relay keeps for a device. */
const maxStored = 10_000;
const defaultLowMark = 20;

/**
 * Stores MLS key packages of this device, at most 100 per request; none may be given with a last resort or `replace`. A duplicate is
 * stored once.
 */
export async function uploadKeyPackages(
  device: DeviceClient,
  keyPackages: readonly Uint8Array[],
  { replace, lastResort, address, signal }: UploadOptions = {},
): Promise<AnswerOf<"uploadKeyPackages">> {
  demandClient(device, "device");
  const min = lastResort === undefined && replace !== true ? 1 : 0;
  demandArray(keyPackages, { what: "keyPackages", min, max: maxPerUpload }, demandNonEmptyBytes);
  ifGiven(lastResort, (last) => demandNonEmptyBytes(last, "lastResort"));
  ifGiven(address, () => demandAddress(address, "address"));
  ifGiven(signal, (given) => demandSignal(given, "signal"));
  const { keys, connection } = device;
  const packages = keyPackages.map(encodeBase64);
  const last = lastResort === undefined ? undefined : encodeBase64(lastResort);
  const { deviceId } = keys;
  const audience = connection.domain;
  return withRelayTime(connection.clock, async (now) => {
    const timestamp = now();
    const signed = {
      deviceId,
      keyPackages: packages,
      timestamp,
      audience,
      replace,
      lastResortKeyPackage: last,
      address,
    };
    const body = {
      device_id: deviceId,
      key_packages: packages,
      signature: await keys.sign(keyPackagesText(signed)),
      timestamp,
      audience,
      ...(replace !== undefined && { replace }),
      ...(last !== undefined && { last_resort_key_package: last }),
      ...(address !== undefined && { address }),
    };
    return device.call("uploadKeyPackages", { body, ...(signal && { signal }) });
  });
}

/**
 * Fetches a key package of another device, to add that device to a group. The relay gives that package to nobody else. A repetition after
 * a lost answer gets the same one.
 */
export async function fetchKeyPackage(device: DeviceClient, deviceId: string): Promise<FetchedKeyPackage> {
  demandClient(device, "device");
  demandDeviceId(deviceId, "deviceId");
  const headers = { "X-Claim-Id": encodeHex(device.connection.runtime.randomBytes(claimIdBytes)) };
  const answer = await device.call("fetchKeyPackage", { query: { device_id: deviceId }, headers });
  const keyPackage = demandParsed(answer.key_package, decodeBase64, "the key package");
  return { keyPackage, remaining: answer.remaining, isLastResort: answer.last_resort ?? false };
}

/** Uploads new key packages if fewer than 20 remain. One upload runs at a time. */
export function keepKeyPackages(device: DeviceClient, options: TopUpOptions): TopUp {
  demandTopUpOptions(device, options);
  const { make, lowMark = defaultLowMark, fillTo = maxPerUpload, address } = options;
  const query = address === undefined ? {} : { address };
  let upload: Promise<void> | undefined;
  let check: Promise<void> | undefined;

  const fill = async (count: number): Promise<void> => {
    for (let missing = fillTo - count; missing > 0; missing -= maxPerUpload) {
      await uploadKeyPackages(device, await make(Math.min(missing, maxPerUpload)), query);
    }
  };
  const fillIfLow = (count: number): Promise<void> => {
    if (count >= lowMark) return Promise.resolve();
    upload ??= fill(count).finally(() => {
      upload = undefined;
    });
    return upload;
  };
  const ask = async () => {
    const status = await device.call("getKeyPackageStatus", { query });
    await fillIfLow(status.available_count);
    const { makeLastResort } = options;
    if (makeLastResort === undefined || status.has_last_resort) return;
    await uploadKeyPackages(device, [], { ...query, lastResort: await makeLastResort() });
  };

  return {
    remaining: (count) => void fillIfLow(count).catch((problem: unknown) => callBack(options.onProblem, [problem])),
    // A count that was read before an upload and arrives after it would have the same packages uploaded again.
    check: () => {
      check ??= ask().finally(() => {
        check = undefined;
      });
      return check;
    },
  };
}

function demandTopUpOptions(device: DeviceClient, options: TopUpOptions): void {
  demandClient(device, "device");
  demandOptions(options, "options");
  demandFunction(options.make, "make");
  ifGiven(options.makeLastResort, (makeLastResort) => demandFunction(makeLastResort, "makeLastResort"));
  ifGiven(options.onProblem, (onProblem) => demandFunction(onProblem, "onProblem"));
  ifGiven(options.lowMark, (lowMark) => demandNumber(lowMark, "lowMark", [0, maxStored]));
  ifGiven(options.address, (address) => demandAddress(address, "address"));
  ifGiven(options.fillTo, (fillTo) => demandNumber(fillTo, "fillTo", [1, maxStored]));
}
