import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { kibibyte } from "../protocol/units.js";

/** Device linking. */
export const provisioningSettings = {
  provisioningPerIpHour: integer("Linking addresses per IP and hour", { default: 10, min: 1, max: 1_000_000 }),
  provisioningMinTtlSeconds: integer("Shortest lifetime of a linking address", { default: 30, min: 30, max: 300 }),
  provisioningMaxTtlSeconds: integer("Longest lifetime of a linking address", { default: 300, min: 30, max: 300 }),
};

export const provisioningConstants = {
  linkingBlobsPerDeviceHour: constant("Linking blobs that one device may leave per hour", 30),
  linkingCodesPerDeviceHour: constant("Short codes of new devices that one device may try per hour", 30),
  provisioningBlobBytes: constant("Largest linking blob", 256 * kibibyte),
  provisioningMaxWaitSeconds: constant("Longest time that a poll for the linking blob may wait", 60),
  provisioningLookSeconds: constant(
    "Interval at which a waiting poll checks for its blob, in case a wake-up signal is lost",
    5,
  ),
  provisioningWaitersPerNode: constant("Polls for linking blobs that may wait on a node", 1000),
};

export type ProvisioningSettings = ValuesOf<typeof provisioningSettings & typeof provisioningConstants>;
