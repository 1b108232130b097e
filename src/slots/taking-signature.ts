import { verifySignature } from "../auth/signature-check.js";
import { comparedDomain } from "../protocol/address.js";
import { encodeHex } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import { invalidSignature } from "../protocol/signed-request.js";
import { slotTakingText } from "../protocol/signed-text.js";
import { slotNameOf } from "../protocol/taking-key.js";
import { hashOf } from "./receipt.js";
import type { SlotContent } from "./types.js";

/**
 * Throws INVALID_REQUEST or INVALID_SIGNATURE unless the holder of a key that the slot is named after takes this content
 * for a slot of `domain`.
 */
export function demandHolder({ slot, content, publicKey, signature, path }: SlotContent, domain: string): void {
  const name = encodeHex(slot);
  if (slotNameOf(publicKey, path) !== name)
    throw invalidMember("public_key", "must have the name of the slot as its SHA-256, or lead to it by the path");
  const contentHash = encodeHex(hashOf(content));
  const text = slotTakingText({ domain: comparedDomain(domain), slot: name, contentHash });
  if (!verifySignature(publicKey, text, signature)) throw invalidSignature("slotTaking");
}
