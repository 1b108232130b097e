import { integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, kibibyte, mebibyte } from "../protocol/units.js";

/** Key packages. */
export const keyPackageSettings = {
  federationKeyPackagesPerMinute: integer("Addresses whose key packages a peer may claim per minute", {
    default: 600,
    min: 1,
    max: 10_000_000,
  }),
  keyPackagesPerUpload: integer("Key packages per upload", { default: 100, min: 1, max: 100 }),
  keyPackageLifetimeSeconds: integer("Time after which a key package that was not fetched expires", {
    default: 30 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  keyPackagesLowMark: integer("Number of key packages below which the device's stream is notified", {
    default: 20,
    min: 0,
    max: 100_000,
  }),
};

/** Key packages. */
export const keyPackageConstants = {
  keyPackagesPerDevice: integer("Key packages stored per device", { default: 500, min: 1, max: 100_000 }),
  keyPackageMinBytes: integer("Smallest key package", { default: 64, min: 1, max: mebibyte }),
  keyPackageMaxBytes: integer("Largest key package", { default: 32 * kibibyte, min: 64, max: mebibyte }),
  keyPackageUploadsPerHour: integer("Uploads of key packages by one device per hour", {
    default: 120,
    min: 1,
    max: 1_000_000,
  }),
  keyPackageFetchesPerTargetHour: integer("Fetches of one device's packages by another per hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  keyPackageFetchesPerHour: integer("Fetches by one device per hour", { default: 300, min: 1, max: 1_000_000 }),
  newTierFetchesPerTargetHour: integer("Fetches of one device's packages by another device in the New tier per hour", {
    default: 10,
    min: 1,
    max: 1_000_000,
  }),
  keyPackageClaimsPerHour: integer("Addresses that a device may name in claims of key packages per hour", {
    default: 600,
    min: 1,
    max: 1_000_000,
  }),
  newTierClaimsPerHour: integer("The same for a device in the New tier", { default: 200, min: 1, max: 1_000_000 }),
  claimedPackagesPerTargetHour: integer(
    "Packages of one device that claims get per hour before they get its last-resort package",
    { default: 60, min: 1, max: 1_000_000 },
  ),
  peerClaimsPerTargetHour: integer("Packages of one device that the relays of one registrable domain get per hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  peerClaimsPerAddressHour: integer("Packages of one address of another relay that a device may claim per hour", {
    default: 10,
    min: 1,
    max: 1_000_000,
  }),
  newTierPeerClaimsPerAddressHour: integer("The same for a device in the New tier", {
    default: 3,
    min: 1,
    max: 1_000_000,
  }),
  relaysPerClaim: integer("Other relays in one claim", { default: 16, min: 1, max: 100 }),
  // Enough for the founder of a group of 100.
  newTierFetchesPerHour: integer("Fetches by one device in the New tier per hour", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
};

export type KeyPackageSettings = ValuesOf<typeof keyPackageSettings & typeof keyPackageConstants>;
