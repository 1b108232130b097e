import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte } from "../../protocol/units.js";
import { integer } from "./setting.js";

/** Registration, addresses and the proof of delay. */
export const registrationSettings = {
  challengesPerIpHour: integer("Registration challenges per IP and hour", { default: 10, min: 1, max: 1_000_000 }),
  firstAnnouncementsPerIpHour: integer("First announcements per IP and hour", { default: 3, min: 1, max: 1_000_000 }),
  firstAnnouncementsPerIpDay: integer("First announcements per IP and day", { default: 10, min: 1, max: 10_000_000 }),
  proofWorkers: integer("Threads that check proofs; 0 for one less than the number of cores", {
    default: 0,
    min: 0,
    max: 256,
  }),
};

export const registrationConstants = {
  challengeLifetimeSeconds: integer("Lifetime of a registration challenge", { default: 300, min: 1, max: daySeconds }),
  invalidProofBanSeconds: integer("Time for which a wrong proof bans the IP from registering", {
    default: daySeconds,
    min: 0,
    max: daySeconds,
  }),
  maxAddressesPrefixFlow: integer("Active addresses per device that announces prefixes", {
    default: 10,
    min: 1,
    max: 10_000,
  }),
  maxAddressesRegistrationFlow: integer("Active addresses per device that uses the registration flow", {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  newAddressesPerDay: integer("New addresses per device and day", { default: 5, min: 1, max: 100_000 }),
  announcementsPerHour: integer("Announcements per device and hour", { default: 3, min: 1, max: 100_000 }),
  difficultyFourfoldAbove: integer(
    "First announcements in the last hour above which the difficulty is 4 times the base",
    { default: 1000, min: 1, max: 1_000_000_000 },
  ),
  difficultyEightfoldAbove: integer("First announcements in the last hour above which it is 8 times the base", {
    default: 1500,
    min: 1,
    max: 1_000_000_000,
  }),
  difficultySixteenfoldAbove: integer("First announcements in the last hour above which it is 16 times the base", {
    default: 2000,
    min: 1,
    max: 1_000_000_000,
  }),
  maxProofIterations: integer("Highest difficulty that is required", {
    default: 80_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  proofQueueLimit: integer("Proofs that may wait for a thread; beyond it registration is refused", {
    default: 64,
    min: 1,
    max: 100_000,
  }),
};

/** Key packages, device linking and info packages. */
export const packageSettings = {
  provisioningPerIpHour: integer("Linking addresses per IP and hour", { default: 10, min: 1, max: 1_000_000 }),
  infoPackageAnonymousBytes: integer("Most bytes of all info packages without an uploader together", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 65_536 * gibibyte,
  }),
};

export const packageConstants = {
  keyPackagesPerUpload: integer("Key packages per upload", { default: 100, min: 1, max: 100 }),
  keyPackagesPerDevice: integer("Key packages stored per device", { default: 500, min: 1, max: 100_000 }),
  keyPackageMinBytes: integer("Smallest key package", { default: 64, min: 1, max: mebibyte }),
  keyPackageMaxBytes: integer("Largest key package", { default: 16 * kibibyte, min: 64, max: mebibyte }),
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
  newTierFetchesPerHour: integer("Fetches by one device in the New tier per hour", {
    default: 30,
    min: 1,
    max: 1_000_000,
  }),
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
  infoPackageBytes: integer("Largest ciphertext of an info package", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  infoPackageMinTtlSeconds: integer("Shortest lifetime of an info package", {
    default: 60,
    min: 60,
    max: 30 * daySeconds,
  }),
  infoPackageMaxTtlSeconds: integer("Longest lifetime of an info package", {
    default: 30 * daySeconds,
    min: 60,
    max: 30 * daySeconds,
  }),
  infoPackageMaxUses: integer("Highest number of uses that an info package can be limited to", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  infoPackageCleanupSeconds: integer("Interval at which expired and used-up info packages are removed", {
    default: hourSeconds,
    min: 1,
    max: daySeconds,
  }),
};
