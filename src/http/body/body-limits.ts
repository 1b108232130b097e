import type { BodyLimitName } from "../../../generated/routes.js";
import { mebibyte } from "../../protocol/units.js";
import type { HttpSettings } from "../request/config.js";

type Limits = HttpSettings & {
  readonly recipientsLimit: number;
  readonly infoPackageBytes: number;
  readonly provisioningBlobBytes: number;
  readonly slotContentBytes: number;
};

/** The longest address, with its quotes, a comma and some whitespace. */
const addressBytes = 320;

/**
 * The size limit of a body, in bytes, by its name in the contract. The limit of a body with ciphertext covers the
 * ciphertext in base64 and the members around it. `maxMessageSize` returns the current setting, in bytes.
 */
export function createBodyLimits(config: Limits, maxMessageSize: () => number): (name: string) => number {
  const around = config.bodyMessageOverheadBytes;
  const byName: Record<BodyLimitName, () => number> = {
    default: () => config.bodyDefaultBytes,
    message: () => base64Length(maxMessageSize()) + around,
    multi: () => base64Length(maxMessageSize()) + around + config.recipientsLimit * addressBytes,
    batch: () => config.bodyBatchBytes,
    federation: () => config.bodyFederationBytes,
    keypackages: () => config.bodyKeyPackagesBytes,
    infopackage: () => base64Length(config.infoPackageBytes) + around,
    provisioning: () => base64Length(config.provisioningBlobBytes) + around,
    slot: () => base64Length(config.slotContentBytes) + around,
    bulk: () => mebibyte,
  };
  return (name) => byName[name as BodyLimitName]();
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
