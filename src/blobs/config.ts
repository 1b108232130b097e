import { checkHttpUrl } from "../platform/config/checks.js";
import { choice, decimal, integer, optionalText, text, type ValuesOf } from "../platform/config/setting.js";
import { gibibyte, hourSeconds, kibibyte, mebibyte } from "../protocol/units.js";

/** The most bytes that a blob can have. Padmé, by which clients pad, ends here. */
const mostBytes = 4 * gibibyte - mebibyte;

/** Blobs. */
export const blobSettings = {
  blobStorage: choice("Where blobs are stored; off if this server has none", ["folder", "s3", "off"], "folder"),
  blobDir: {
    ...optionalText("Folder for blobs, which all nodes share", "path"),
    shownFallback: "<DATA_DIR>/blobs",
  },
  blobS3Bucket: optionalText("Bucket for blobs; BLOB_STORAGE=s3 needs it", "name"),
  blobS3Prefix: text("Beginning of the names of all objects in the bucket", ""),
  blobS3Endpoint: optionalText("URL of an S3 server that is not AWS", "URL", checkHttpUrl),
  blobS3Region: optionalText("Region of the bucket; by default as AWS_REGION says", "name"),
  blobBytes: integer("Largest blob", { default: gibibyte, min: kibibyte, max: mostBytes }),
  blobStorageBytes: integer("Maximum bytes of all blobs together", {
    default: 16 * gibibyte,
    min: mebibyte,
    max: 1_048_576 * gibibyte,
  }),
  blobDiskReserveBytes: integer("Bytes of the disk that blobs leave free", {
    default: gibibyte,
    min: 0,
    max: 65_536 * gibibyte,
  }),
  blobBytesPerDay: integer("Bytes of blobs that a device may create in a day", {
    default: 2 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
  blobBytesPerIpDay: integer("Bytes of blobs that the devices of an IP may create in a day", {
    default: 8 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
  blobReadsPerIpHour: integer("Requests for blobs per IP and hour", { default: 10_000, min: 1, max: 100_000_000 }),
  blobReadBytesPerIpDay: integer("Bytes of blobs that an IP may ask for in a day", {
    default: 64 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
};

export const blobConstants = {
  blobsPerHour: integer("Blobs that a device may create in an hour", { default: 120, min: 1, max: 1_000_000 }),
  newTierBlobsPerHour: integer("The same for a new device", { default: 20, min: 1, max: 1_000_000 }),
  newTierBlobBytesPerDay: integer("Bytes of blobs that a new device may create in a day", {
    default: 128 * mebibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
  blobStorageNewTierShare: decimal("Share of the space for blobs that new devices can fill", {
    default: 0.5,
    min: 0,
    max: 1,
  }),
  blobUploadIdleSeconds: integer("An upload ends this long after its last part", {
    default: hourSeconds,
    min: 1,
    max: 24 * hourSeconds,
  }),
  blobDownloadSeconds: integer("A counted download may be continued for this long", {
    default: hourSeconds,
    min: 1,
    max: 24 * hourSeconds,
  }),
  blobTransfersPerNode: integer("Parts and blobs in transfer at once per node", { default: 500, min: 1, max: 100_000 }),
  blobTransfersPerIp: integer("The same for one IP", { default: 100, min: 1, max: 100_000 }),
  blobCleanupSeconds: integer("Interval at which blobs that have ended are removed", {
    default: 300,
    min: 1,
    max: 24 * hourSeconds,
  }),
  blobStorageCheckSeconds: integer("Interval at which a node tries the storage of blobs", {
    default: 15,
    min: 1,
    max: hourSeconds,
  }),
  blobsRemovedPerStep: integer("Blobs that one step of the removal takes", { default: 100, min: 1, max: 10_000 }),
};

export type BlobSettings = ValuesOf<typeof blobSettings & typeof blobConstants>;
