import { randomBytes } from "node:crypto";
import { sign } from "../../src/protocol/signature.js";
import { keyPackagesText } from "../../src/protocol/signed-text.js";
import { call } from "./api.js";
import type { TestDevice } from "./device.js";
import type { TestRelay } from "./relay.js";

/** The members of an upload; members left out are not sent. */
interface UploadDraft {
  packages?: readonly string[];
  replace?: boolean;
  lastResort?: string;
  timestamp?: number;
  /** Sent unchanged; by default the canonical id. */
  deviceId?: string;
  audience?: string;
  /** An address of the device that the packages are for. */
  address?: string;
}

/** Random bytes in base64, as long as a small key package. */
export function newPackage(bytes = 96): string {
  return randomBytes(bytes).toString("base64");
}

/** This many packages, all different. */
export function newPackages(count: number): string[] {
  return Array.from({ length: count }, () => newPackage());
}

/** The signed body of an upload by a device. */
export function uploadBody(relay: TestRelay, device: TestDevice, draft: UploadDraft = {}) {
  const { packages = [], replace, lastResort, address, audience = relay.config.domain } = draft;
  const { deviceId = device.deviceId, timestamp = relay.clock.nowSeconds() } = draft;
  const members = { replace, lastResortKeyPackage: lastResort, address, audience };
  const request = { deviceId, keyPackages: packages, timestamp, ...members };
  return {
    device_id: deviceId,
    key_packages: packages,
    signature: sign(device.secretKey, keyPackagesText(request)),
    timestamp,
    audience,
    ...(replace !== undefined && { replace }),
    ...(lastResort !== undefined && { last_resort_key_package: lastResort }),
    ...(address !== undefined && { address }),
  };
}

export function upload(relay: TestRelay, device: TestDevice, draft: UploadDraft = {}) {
  return call(relay, "uploadKeyPackages", { token: device.token, body: uploadBody(relay, device, draft) });
}

/** Fetches a package of a device; the id is sent as spelled. */
export function fetchPackage(relay: TestRelay, device: TestDevice, deviceId: string) {
  return call(relay, "fetchKeyPackage", { token: device.token, query: { device_id: deviceId } });
}

export function packageStatus(relay: TestRelay, device: TestDevice, address?: string) {
  return call(relay, "getKeyPackageStatus", { token: device.token, query: address === undefined ? {} : { address } });
}

/** A new claim id. */
export function newClaimId(): string {
  return randomBytes(32).toString("hex");
}

export function claimPackages(
  relay: TestRelay,
  device: TestDevice,
  addresses: readonly string[],
  claimId = newClaimId(),
) {
  return call(relay, "claimKeyPackages", {
    token: device.token,
    body: { claim_id: claimId, addresses: [...addresses] },
  });
}
