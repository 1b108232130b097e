import type { BodyLimitName } from "../../generated/routes.js";
import type { Config } from "../platform/config/config.js";

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
 * The size limit of a body, in bytes, by the name that the contract gives it. The limit of a body with ciphertext covers the
 * ciphertext in base64 and the members around it. `maxMessageSize` returns the current setting, in bytes.
 */
export function createBodyLimits(config: Limits, maxMessageSize: () => number): (name: string) => number {
  const around = config.bodyMessageOverheadBytes;
  const byName: Record<BodyLimitName, () => number> = {
    default: () => config.bodyDefaultBytes,
    message: () => base64Length(maxMessageSize()) + around,
    batch: () => config.bodyBatchBytes,
    federation: () => config.bodyFederationBytes,
    keypackages: () => config.bodyKeyPackagesBytes,
    infopackage: () => base64Length(config.infoPackageBytes) + around,
    provisioning: () => base64Length(config.provisioningBlobBytes) + around,
  };
  return (name) => byName[name as BodyLimitName]();
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
