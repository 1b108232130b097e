// What a new device shows to be linked (specification, "Device linking").

import { encodeHex } from "../../protocol/encodings.js";
import { parsePublicKey } from "../../protocol/identifiers.js";
import { publicKeyOf } from "../../protocol/signature.js";
import { demandCount, demandParsed, demandText, MalformedError, parseJsonObject } from "../runtime/json-shape.js";
import { runtimeWith } from "../runtime/runtime.js";

export const linkingKeyBytes = 32;

/** The content of the QR code of a new device. */
export interface LinkingQr {
  /** Ed25519, 32 bytes. */
  ephemeralPublicKey: Uint8Array;
  /** `<uuid>@<domain>` */
  provisioningAddress: string;
  /** The relay's base address. */
  server: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** The ephemeral keys of a new device. Forget the secret key once the device is linked. */
interface LinkingKeys {
  secretKey: Uint8Array;
  publicKey: Uint8Array;
}

export function newLinkingKeys(randomBytes = runtimeWith().randomBytes): LinkingKeys {
  const secretKey = randomBytes(linkingKeyBytes);
  return { secretKey, publicKey: publicKeyOf(secretKey) };
}

/** The text of the QR code. */
export function writeLinkingQr(qr: LinkingQr): string {
  return JSON.stringify({
    ephemeral_public_key: encodeHex(qr.ephemeralPublicKey),
    provisioning_address: qr.provisioningAddress,
    server: qr.server,
    expires_at: qr.expiresAt,
  });
}

/** Reads a QR code. Throws MalformedError, also if it has expired by `nowSeconds`. */
export function readLinkingQr(text: string, nowSeconds: number): LinkingQr {
  const payload = parseJsonObject(text, "the QR code");
  const qr = {
    ephemeralPublicKey: demandParsed(payload["ephemeral_public_key"], parsePublicKey, "ephemeral_public_key"),
    provisioningAddress: demandText(payload["provisioning_address"], "provisioning_address"),
    server: demandText(payload["server"], "server"),
    expiresAt: demandCount(payload["expires_at"], "expires_at"),
  };
  if (qr.expiresAt <= nowSeconds) throw new MalformedError("the QR code has expired");
  return qr;
}
