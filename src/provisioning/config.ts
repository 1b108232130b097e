import { integer, type ValuesOf } from "../platform/config/setting.js";
import { kibibyte, mebibyte } from "../protocol/units.js";

/** Device linking. */
export const provisioningSettings = {
  provisioningPerIpHour: integer("Linking addresses per IP and hour", { default: 10, min: 1, max: 1_000_000 }),
};

export const provisioningConstants = {
  provisioningMinTtlSeconds: integer("Shortest lifetime of a linking address", { default: 30, min: 30, max: 300 }),
  provisioningMaxTtlSeconds: integer("Longest lifetime of a linking address", { default: 300, min: 30, max: 300 }),
  linkingBlobsPerDeviceHour: integer("Linking blobs that one device may leave per hour", {
    default: 30,
    min: 1,
    max: 1_000_000,
  }),
  provisioningBlobBytes: integer("Largest linking blob", {
    default: 256 * kibibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  provisioningMaxWaitSeconds: integer("Longest time that a poll for the linking blob may wait", {
    default: 60,
    min: 0,
    max: 60,
  }),
  provisioningLookSeconds: integer(
    "Interval at which a waiting poll checks for its blob, in case a wake-up signal is lost",
    {
      default: 5,
      min: 1,
      max: 60,
    },
  ),
  provisioningWaitersPerNode: integer("Polls for linking blobs that may wait on a node", {
    default: 1000,
    min: 1,
    max: 1_000_000,
  }),
};

export type ProvisioningSettings = ValuesOf<typeof provisioningSettings & typeof provisioningConstants>;
