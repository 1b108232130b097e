import { checkHttpUrl } from "../platform/config/checks.js";
import { choice, constant, integer, optionalText, text, type ValuesOf } from "../platform/config/setting.js";
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
  blobS3PublicEndpoint: optionalText(
    "URL at which clients read blobs from the S3 server themselves; by default all bytes pass the relay",
    "URL",
    checkHttpUrl,
  ),
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
  blobBytesPerDay: integer("Bytes of blobs created per device and day", {
    default: 2 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
  blobBytesPerIpDay: integer("Bytes of blobs created by the devices of an IP per day", {
    default: 8 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
  blobReadsPerIpHour: integer("Requests for blobs per IP and hour", { default: 10_000, min: 1, max: 100_000_000 }),
  blobReadBytesPerIpDay: integer("Bytes of blobs requested per IP and day", {
    default: 64 * gibibyte,
    min: kibibyte,
    max: 65_536 * gibibyte,
  }),
};

export const blobConstants = {
  blobsPerHour: constant("Blobs created per device and hour", 120),
  newTierBlobsPerHour: constant("The same for a new device", 20),
  newTierBlobBytesPerDay: constant("Bytes of blobs that a new device may create in a day", 128 * mebibyte),
  blobStorageNewTierShare: constant("Share of the space for blobs that new devices can fill", 0.5),
  blobStorageDeviceShare: constant(
    "Share of the space for blobs that a device can fill in 30 days; a shorter lifetime counts less",
    0.125,
  ),
  newTierBlobStorageShare: constant("The same for a new device", 0.01),
  blobStorageSiteShare: constant(
    "Share of the space for blobs that an IPv4 address or IPv6 /48 can fill in a day",
    0.0625,
  ),
  blobStorageOpenShare: constant("Share of the space for blobs up to which that holds", 0.5),
  crowdedBlobStorageSiteShare: constant("The same beyond it", 0.00390625),
  blobUploadIdleSeconds: constant("An upload ends this long after its last part", hourSeconds),
  blobFirstPartSeconds: constant("An upload ends this long after its creation if no part has come", 600),
  blobDownloadSeconds: constant("A counted download may be continued for this long", hourSeconds),
  blobTransfersPerNode: constant("Parts and blobs in transfer at once per node", 500),
  blobTransfersPerIp: constant("The same for one IP", 100),
  blobCleanupSeconds: constant("Interval at which blobs that have ended are removed", 300),
  blobStorageCheckSeconds: constant("Interval at which a node tries the storage of blobs", 15),
  blobsRemovedPerStep: constant("Blobs that one step of the removal takes", 100),
};

export type BlobSettings = ValuesOf<typeof blobSettings & typeof blobConstants>;
