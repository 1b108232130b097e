import type { Device } from "../devices/service.js";
import type { AdmittedOrigin } from "../federation/model/types.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { refuseBarred, trustTier } from "../protocol/trust-tier.js";
import { daySeconds, hourSeconds, minuteSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { ServerSettings } from "../settings/service.js";
import type { KeyPackageSettings } from "./config.js";

const fetchLimitName = "key_package_fetches";

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
export function refuseBarredFetch(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not fetch key packages at the moment";
  refuseBarred(device, { now, name: fetchLimitName, message }, observer);
}

interface LimitedDevice {
  device: Device;
  now: number;
  settings: ServerSettings;
  config: KeyPackageSettings;
}

/** How many packages a device may fetch in total. */
export function fetchLimit({ device, now, settings, config }: LimitedDevice): LimitRequest {
  const isNew = trustTier({ ...device, now, settings }) === "new";
  return {
    name: fetchLimitName,
    subject: { ids: [device.deviceId] },
    limit: isNew ? config.newTierFetchesPerHour : config.keyPackageFetchesPerHour,
    windowSeconds: hourSeconds,
    message: "too many key packages in an hour",
  };
}

/** How many packages of one device another device may fetch. */
export function targetLimit(targetId: string, { device, now, settings, config }: LimitedDevice): LimitRequest {
  const isNew = trustTier({ ...device, now, settings }) === "new";
  return {
    name: "key_package_fetches_of_device",
    subject: { ids: [device.deviceId, targetId] },
    limit: isNew ? config.newTierFetchesPerTargetHour : config.keyPackageFetchesPerTargetHour,
    windowSeconds: hourSeconds,
    message: "too many key packages of one device in an hour",
  };
}

/** How many uploads a device may make. Repeated and failed ones are not counted. */
export function uploadLimit(deviceId: string, config: KeyPackageSettings): LimitRequest {
  return {
    name: "key_package_uploads",
    subject: { ids: [deviceId] },
    limit: config.keyPackageUploadsPerHour,
    windowSeconds: hourSeconds,
    message: "too many uploads of key packages in an hour",
  };
}

/** How many addresses a device may name in claims, refused and repeated ones included. */
export function claimsLimit({ device, now, settings, config }: LimitedDevice): LimitRequest {
  const isNew = trustTier({ ...device, now, settings }) === "new";
  return {
    name: "key_package_claims",
    subject: { ids: [device.deviceId] },
    limit: isNew ? config.newTierClaimsPerHour : config.keyPackageClaimsPerHour,
    windowSeconds: hourSeconds,
    message: "too many addresses in claims of key packages in an hour",
  };
}

/**
 * How many packages of one address of another relay a device may claim (`share`), each claim counted `once`. That relay gives
 * all devices of this one a common share, which one device must not use up.
 */
export function peerAddressLimits(
  address: string,
  claimId: string,
  { device, now, settings, config }: LimitedDevice,
): { once: LimitRequest; share: LimitRequest } {
  const isNew = trustTier({ ...device, now, settings }) === "new";
  const message = "too many claims of key packages of one address in an hour";
  return {
    once: {
      name: "key_package_claim_of_address",
      subject: { ids: [device.deviceId, claimId, address] },
      limit: 1,
      windowSeconds: daySeconds,
      message,
    },
    share: {
      name: "key_package_claims_of_address",
      subject: { ids: [device.deviceId, address] },
      limit: isNew ? config.newTierPeerClaimsPerAddressHour : config.peerClaimsPerAddressHour,
      windowSeconds: hourSeconds,
      message,
    },
  };
}

/** How many packages of one device all claims together get before they get the last-resort package. */
export function givenLimit(targetId: string, config: KeyPackageSettings): LimitRequest {
  return {
    name: "claimed_key_packages_of_device",
    subject: { ids: [targetId] },
    limit: config.claimedPackagesPerTargetHour,
    windowSeconds: hourSeconds,
    message: "too many key packages of one device in an hour",
  };
}

/** How many addresses the relays of a registrable domain may name in claims. */
export function originLimit({ registrable, divisor }: AdmittedOrigin, config: KeyPackageSettings): LimitRequest {
  return {
    name: "federation_key_packages",
    subject: { ids: [registrable] },
    limit: Math.floor(config.federationKeyPackagesPerMinute / divisor),
    windowSeconds: minuteSeconds,
    message: "too many addresses in claims of your relay in a minute",
  };
}

/** How many packages of one device the relays of a registrable domain may get. */
export function originTargetLimit(
  targetId: string,
  { registrable, divisor }: AdmittedOrigin,
  config: KeyPackageSettings,
): LimitRequest {
  return {
    name: "federation_key_packages_of_device",
    subject: { ids: [registrable, targetId] },
    limit: Math.floor(config.peerClaimsPerTargetHour / divisor),
    windowSeconds: hourSeconds,
    message: "too many key packages of one device for your relay in an hour",
  };
}
