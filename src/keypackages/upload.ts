import { verifySignature } from "../auth/signature-check.js";
import type { Db } from "../database/db.js";
import { decodeBase64, decodedLength } from "../protocol/encodings.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { deviceIdCandidates } from "../protocol/identifiers.js";
import { checkAudience, invalidSignature } from "../protocol/signed-request.js";
import { keyPackagesText } from "../protocol/signed-text.js";
import { checkTimestamp, type TimestampWindow } from "../protocol/timestamp-window.js";
import type { KeyPackageSettings } from "./config.js";
import {
  type Account,
  countAvailable,
  countStored,
  deleteOne,
  deleteStored,
  insertPackages,
  openAccount,
  type Pool,
  replaceLastResort,
  updateAccount,
} from "./store.js";

/** An upload as it was sent, because the signed text contains its members. */
export interface UploadRequest {
  deviceId: string;
  keyPackages: readonly string[];
  signature: string;
  timestamp: number;
  replace: boolean | undefined;
  lastResortKeyPackage: string | undefined;
  audience: string | undefined;
  /** The address of the device that the packages are for, as it was sent; undefined for all of them. */
  address: string | undefined;
}

/** An upload, decoded. */
interface Upload {
  packages: readonly Buffer[];
  lastResort: Buffer | undefined;
  replace: boolean;
}

export type UploadConfig = TimestampWindow &
  Pick<KeyPackageSettings, "keyPackagesPerUpload" | "keyPackageMinBytes" | "keyPackageMaxBytes">;

/** The rules that an upload is checked against. */
interface UploadRules {
  domain: string;
  config: UploadConfig;
  now: number;
}

/** Decodes the packages of a request, without checking the signature. Throws INVALID_REQUEST. */
export function readUpload(request: UploadRequest, { config, domain }: UploadRules): Upload {
  const { keyPackages, lastResortKeyPackage } = request;
  checkAudience(request.audience, domain);
  if (keyPackages.length > config.keyPackagesPerUpload) {
    throw invalidMember("key_packages", `must have at most ${config.keyPackagesPerUpload} items`);
  }
  if (keyPackages.length === 0 && lastResortKeyPackage === undefined && request.replace !== true) {
    throw invalidMember("key_packages", "must not be empty");
  }
  return {
    packages: keyPackages.map((text, index) => readPackage(`key_packages/${index}`, text, config)),
    lastResort:
      lastResortKeyPackage === undefined
        ? undefined
        : readPackage("last_resort_key_package", lastResortKeyPackage, config),
    replace: request.replace ?? false,
  };
}

/** Throws INVALID_REQUEST if a request names another device than the caller, by id or by public key. */
export function checkUploader(request: Pick<UploadRequest, "deviceId">, callerId: string): void {
  if (deviceIdCandidates(request.deviceId).some((id) => id === callerId)) return;
  throw invalidMember("device_id", "must be the device that the token belongs to");
}

/** Throws INVALID_SIGNATURE, or INVALID_REQUEST if the timestamp is outside the window. */
export function checkSigned(request: UploadRequest, publicKey: Uint8Array, { config, now }: UploadRules): void {
  if (!verifySignature(publicKey, keyPackagesText(request), request.signature)) {
    throw invalidSignature("keyPackages");
  }
  checkTimestamp(request.timestamp, now, config);
}

function readPackage(member: string, text: string, config: UploadConfig): Buffer {
  const { keyPackageMinBytes: min, keyPackageMaxBytes: max } = config;
  const length = decodedLength(text);
  if (length < min || length > max) throw invalidMember(member, `must hold ${min} to ${max} bytes`);
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw invalidMember(member, "must be canonical base64");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The device and its pool that an upload is stored for, the limit and the expiry of the packages. */
interface UploadTarget extends Pool {
  now: number;
  expiresAt: number;
  /** Maximum number of packages that the device may have stored. */
  limit: number;
}

export interface StoredUpload {
  uploaded: number;
  available: number;
}

/**
 * Stores an upload in the caller's transaction. Uploads and fetches of one device run one after the other. Throws CONFLICT,
 * which rolls everything back, if the device would have too many packages.
 *
 * A package is either the last-resort package or an ordinary one. If it is sent as both, or later as an ordinary one, it
 * stays the last-resort package.
 */
export async function storeUpload(db: Db, upload: Upload, target: UploadTarget): Promise<StoredUpload> {
  const { deviceId, prefix, now, expiresAt } = target;
  const account = await openAccount(db, deviceId);
  await deleteStored(db, { deviceId, prefix, now, all: upload.replace });
  const lastResort = prefix === null ? lastResortAfter(account, upload, target) : account;
  let { lastPosition } = account;
  if (upload.lastResort !== undefined) {
    const { lastResort: keyPackage } = upload;
    if (prefix === null) await deleteOne(db, { deviceId, keyPackage });
    else await replaceLastResort(db, { deviceId, prefix, keyPackage, position: ++lastPosition, expiresAt });
  }
  const packages = upload.packages.filter((one) => lastResort.lastResort?.equals(one) !== true);
  const uploaded = await insertPackages(db, { deviceId, prefix, packages, after: lastPosition, expiresAt });
  await updateAccount(db, deviceId, {
    lastResort: lastResort.lastResort,
    lastResortExpiresAt: lastResort.lastResortExpiresAt,
    lastPosition: lastPosition + packages.length,
  });
  if ((await countStored(db, { deviceId, now })) > target.limit) throw tooMany(target.limit);
  return { uploaded, available: await countAvailable(db, { deviceId, prefix, now }) };
}

/**
 * The result of an upload that was stored before. A repeated upload, by its device or by anyone else, changes nothing.
 */
export async function readStored(db: Db, { deviceId, prefix, now }: UploadTarget): Promise<StoredUpload> {
  return { uploaded: 0, available: await countAvailable(db, { deviceId, prefix, now }) };
}

/**
 * The last-resort package after the upload: the new one, or else the current one unless it is replaced or has expired.
 */
function lastResortAfter(
  account: Account,
  { lastResort, replace }: Upload,
  { now, expiresAt }: UploadTarget,
): Pick<Account, "lastResort" | "lastResortExpiresAt"> {
  if (lastResort !== undefined) return { lastResort, lastResortExpiresAt: expiresAt };
  if (replace || (account.lastResortExpiresAt ?? 0) <= now) return { lastResort: null, lastResortExpiresAt: null };
  return { lastResort: account.lastResort, lastResortExpiresAt: account.lastResortExpiresAt };
}

function tooMany(limit: number): RelayError {
  return new RelayError("CONFLICT", `a device may store ${limit} key packages; none of the upload was stored`);
}
