import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../platform/package-root.js";
import type { Random } from "../platform/random.js";
import type { BlobSettings } from "./config.js";
import { blobFolder, createFolderStorage } from "./storage/folder.js";
import { S3Storage } from "./storage/s3.js";
import type { BlobStorage } from "./storage/storage.js";

type Settings = BlobSettings & { dataDir: string };

/** The storage that the settings name; null if this server has no blobs. Throws if a setting is missing. */
export function openBlobStorage(settings: Settings, random: Pick<Random, "uuid">): BlobStorage | null {
  if (settings.blobStorage === "off") return null;
  if (settings.blobStorage === "folder") return createFolderStorage(blobFolder(settings), random);
  const { blobS3Bucket: bucket, blobS3Prefix: prefix, blobS3Endpoint: endpoint, blobS3Region: region } = settings;
  const publicEndpoint = settings.blobS3PublicEndpoint;
  if (bucket === null) throw new Error("BLOB_S3_BUCKET is missing");
  demandSdk();
  return new S3Storage({ bucket, prefix, endpoint, publicEndpoint, region });
}

/** Where blobs are, for messages to operators. */
export function describeBlobStorage(settings: Settings): string {
  const { blobS3Bucket: bucket, blobS3Prefix: prefix } = settings;
  return settings.blobStorage === "s3" ? `s3://${bucket}/${prefix}` : blobFolder(settings);
}

/** The AWS SDK is large, and only relays that keep blobs in S3 need it, so it is an optional peer of this package. */
function demandSdk(): void {
  const { peerDependencies } = JSON.parse(readFileSync(new URL("package.json", packageRoot()), "utf8")) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  const { resolve } = createRequire(import.meta.url);
  try {
    for (const name of Object.keys(peerDependencies)) resolve(name);
  } catch {
    const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
    const command = `npm install --omit=dev --save-prod --save-exact ${packages.join(" ")}`;
    throw new Error(
      `BLOB_STORAGE=s3 needs the AWS SDK, which is not installed; run: cd ${fileURLToPath(packageRoot())} && ${command}`,
    );
  }
}
