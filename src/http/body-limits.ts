import type { BodyLimitName } from "../../generated/routes.js";
import type { Config } from "../platform/config.js";

type Limits = Pick<
  Config,
  | "bodyDefaultBytes"
  | "bodyMessageOverheadBytes"
  | "bodyBatchBytes"
  | "bodyFederationBytes"
  | "bodyKeyPackagesBytes"
  | "infoPackageBytes"
  | "provisioningBlobBytes"
>;

/**
 * The size limit of a body, in bytes, by the name that the contract gives it. What carries ciphertext has room for it
 * in base64 and for the members around it. `maxMessageSize` is the setting of that moment, in bytes.
 */
export function createBodyLimits(limits: Limits, maxMessageSize: () => number): (name: string) => number {
  const around = limits.bodyMessageOverheadBytes;
  const byName: Record<BodyLimitName, () => number> = {
    default: () => limits.bodyDefaultBytes,
    message: () => base64Length(maxMessageSize()) + around,
    batch: () => limits.bodyBatchBytes,
    federation: () => limits.bodyFederationBytes,
    keypackages: () => limits.bodyKeyPackagesBytes,
    infopackage: () => base64Length(limits.infoPackageBytes) + around,
    provisioning: () => base64Length(limits.provisioningBlobBytes) + around,
  };
  return (name) => byName[name as BodyLimitName]();
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
