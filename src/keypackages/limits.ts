import type { AdmittedOrigin } from "../federation/model/types.js";
import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import type { KeyPackageSettings } from "./config.js";

/** The device that asks for packages. */
export interface Claimant {
  deviceId: string;
  isNew: boolean;
}

/** How often a device may upload packages in an hour. A repetition only reads the limit. */
export function uploadLimit(
  deviceId: string,
  { isRepeated }: { isRepeated: boolean },
  config: KeyPackageSettings,
): LimitRequest {
  return limitRequest("key_package_uploads", { ids: [deviceId], cost: isRepeated ? 0 : 1 }, config);
}

/** How many packages a device may get in an hour, and how many of one device. */
export function fetchLimits(
  { deviceId, isNew: isReduced }: Claimant,
  targetId: string,
  config: KeyPackageSettings,
): { all: LimitRequest; ofTarget: LimitRequest } {
  return {
    all: limitRequest("key_package_fetches", { ids: [deviceId], isReduced }, config),
    ofTarget: limitRequest("key_package_fetches_of_device", { ids: [deviceId, targetId], isReduced }, config),
  };
}

/** How many addresses a device may name in claims in an hour. */
export function claimLimit(
  { deviceId, isNew: isReduced }: Claimant,
  addresses: number,
  config: KeyPackageSettings,
): LimitRequest {
  return limitRequest("key_package_claims", { ids: [deviceId], isReduced, cost: addresses }, config);
}

/** How often a device may claim a package of one address of another relay in an hour. `once` counts a repeated claim once. */
export function relayClaimLimits(
  { deviceId, isNew: isReduced }: Claimant,
  { claim, address }: { claim: string; address: string },
  config: KeyPackageSettings,
): { once: LimitRequest; share: LimitRequest } {
  return {
    once: limitRequest("key_package_claim_of_address", { ids: [deviceId, claim, address] }, config),
    share: limitRequest("key_package_claims_of_address", { ids: [deviceId, address], isReduced }, config),
  };
}

/** How many addresses the relays of a registrable domain may name in claims in a minute. */
export function peerClaimLimit(
  { registrable, divisor }: AdmittedOrigin,
  addresses: number,
  config: KeyPackageSettings,
): LimitRequest {
  return limitRequest("federation_key_packages", { ids: [registrable], divisor, cost: addresses }, config);
}

/** How many packages of one device these relays may get in an hour. */
export function peerTargetLimit(
  { registrable, divisor }: AdmittedOrigin,
  targetId: string,
  config: KeyPackageSettings,
): LimitRequest {
  return limitRequest("federation_key_packages_of_device", { ids: [registrable, targetId], divisor }, config);
}

/** How many packages of one device all claims get in an hour. Beyond it, they get its last-resort package. */
export function claimedLimit(targetId: string, config: KeyPackageSettings): LimitRequest {
  return limitRequest("claimed_key_packages_of_device", { ids: [targetId] }, config);
}

/** What a device is told of its limits. */
export function deviceLimits({ deviceId, isNew: isReduced }: Claimant, config: KeyPackageSettings): LimitRequest[] {
  const about = { ids: [deviceId], isReduced };
  return (["key_package_uploads", "key_package_fetches", "key_package_claims"] as const).map((name) =>
    limitRequest(name, about, config),
  );
}
