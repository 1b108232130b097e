import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, kibibyte } from "../protocol/units.js";

/** Key packages. */
export const keyPackageSettings = {
  federationKeyPackagesPerMinute: integer("Addresses in claims of key packages per peer and minute", {
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
  keyPackagesPerDevice: constant("Key packages stored per device", 500),
  keyPackageMinBytes: constant("Smallest key package", 64),
  keyPackageMaxBytes: constant("Largest key package", 32 * kibibyte),
  keyPackageUploadsPerHour: constant("Uploads of key packages per device and hour", 120),
  keyPackageFetchesPerTargetHour: constant("Fetches of one device's packages by another per hour", 20),
  keyPackageFetchesPerHour: constant("Fetches per device and hour", 300),
  newTierFetchesPerTargetHour: constant(
    "Fetches of one device's packages by another device in the New tier per hour",
    10,
  ),
  keyPackageClaimsPerHour: constant("Addresses in claims of key packages per device and hour", 600),
  newTierClaimsPerHour: constant("The same for a device in the New tier", 200),
  claimedPackagesPerTargetHour: constant(
    "Packages of one device that claims get per hour before they get its last-resort package",
    60,
  ),
  peerClaimsPerTargetHour: constant("Packages of one device per hour for the relays of one registrable domain", 20),
  peerClaimsPerAddressHour: constant("Packages of another relay's address claimed per device and hour", 10),
  newTierPeerClaimsPerAddressHour: constant("The same for a device in the New tier", 3),
  relaysPerClaim: constant("Other relays in one claim", 16),
  // Enough for the founder of a group of 100.
  newTierFetchesPerHour: constant("Fetches by one device in the New tier per hour", 100),
};

export type KeyPackageSettings = ValuesOf<typeof keyPackageSettings & typeof keyPackageConstants>;
