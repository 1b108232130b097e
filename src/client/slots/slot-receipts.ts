// Receipts, which prove what a commit slot has taken.

import { sha256 } from "@noble/hashes/sha2.js";
import { decodeHex, encodeHex, utf8 } from "../../protocol/encodings.js";
import { verifyBytes } from "../../protocol/signature.js";
import { slotReceiptText } from "../../protocol/signed-text.js";
import type { Schemas } from "../connection/calls.js";

/** The relay that decides which commit of an epoch counts. The group's context names it, so that all members ask the same. */
export interface SlotRelay {
  /** Its domain, in lower case. */
  domain: string;
  /** Its slot key when the group was founded: `slots.key` of the discovery document, 32 bytes. */
  slotKey: Uint8Array;
  /**
   * How long it remembers which slots were taken: `slots.memory_days` at that time. Nobody commits in an epoch that was entered
   * more than half of that ago.
   */
  memoryDays: number;
}

/** Proves what a slot has taken. */
export type SlotReceipt = Schemas["SlotReceipt"];

/** Whether a receipt proves that this slot of the relay has taken exactly this content. Never throws. */
export function isSlotReceipt(
  receipt: SlotReceipt,
  { relay, slot, content }: { relay: Pick<SlotRelay, "domain" | "slotKey">; slot: string; content: Uint8Array },
): boolean {
  const contentHash = encodeHex(sha256(content));
  const isMeant =
    receipt?.domain?.toLowerCase() === relay.domain &&
    receipt.slot === slot &&
    receipt.content_sha256 === contentHash &&
    receipt.slot_key === encodeHex(relay.slotKey);
  if (!isMeant || decodeHex(receipt.signature ?? "") === undefined) return false;
  const text = slotReceiptText({ domain: receipt.domain, slot, contentHash });
  return verifyBytes(relay.slotKey, utf8(text), receipt.signature);
}
