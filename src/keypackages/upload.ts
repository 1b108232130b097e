import { verifySignature } from "../platform/auth/signature-check.js";
import type { Config } from "../platform/config/config.js";
import { decodeBase64, decodedLength } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { deviceIdCandidates } from "../protocol/identifiers.js";
import { checkAudience, checkTimestamp, invalidMember, type TimestampWindow } from "../protocol/signed-request.js";
import { keyPackagesText } from "../protocol/signed-text.js";

/** An upload as it was sent: the signed text repeats its members. */
export interface UploadRequest {
  deviceId: string;
  keyPackages: readonly string[];
  signature: string;
  timestamp: number;
  replace: boolean | undefined;
  lastResortKeyPackage: string | undefined;
  audience: string | undefined;
}

/** What an upload brings. */
export interface Upload {
  packages: readonly Buffer[];
  lastResort: Buffer | undefined;
  replace: boolean;
}

export type UploadConfig = TimestampWindow &
  Pick<Config, "keyPackagesPerUpload" | "keyPackageMinBytes" | "keyPackageMaxBytes">;

/** Who uploads, and what is expected of the request. */
export interface UploadRules {
  domain: string;
  config: UploadConfig;
  now: number;
}

/** Reads the packages of a request. Throws INVALID_REQUEST naming the member; the signature is not looked at. */
export function readUpload(request: UploadRequest, { config, domain }: UploadRules): Upload {
  const { keyPackages, lastResortKeyPackage } = request;
  checkAudience(request.audience, domain);
  if (keyPackages.length > config.keyPackagesPerUpload) {
    throw invalidMember("key_packages", `at most ${config.keyPackagesPerUpload} in one upload`);
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

/** Throws INVALID_REQUEST where a request names another device than the caller, by its id or by its public key. */
export function checkUploader(request: Pick<UploadRequest, "deviceId">, callerId: string): void {
  if (deviceIdCandidates(request.deviceId).some((id) => id === callerId)) return;
  throw invalidMember("device_id", "must be the device that the token belongs to");
}

/** Throws INVALID_SIGNATURE, or INVALID_REQUEST where the timestamp is outside its window. */
export function checkSigned(request: UploadRequest, publicKey: Uint8Array, { config, now }: UploadRules): void {
  if (!verifySignature(publicKey, keyPackagesText(request), request.signature)) {
    throw new RelayError("INVALID_SIGNATURE", "invalid signature");
  }
  checkTimestamp(request.timestamp, now, config);
}

function readPackage(member: string, text: string, config: UploadConfig): Buffer {
  const { keyPackageMinBytes: least, keyPackageMaxBytes: most } = config;
  const length = decodedLength(text);
  if (length < least || length > most) throw invalidMember(member, `must hold ${least} to ${most} bytes`);
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw invalidMember(member, "must be canonical base64");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
