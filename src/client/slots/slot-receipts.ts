// Commit slots: the keys that take them, their names, and the receipts that prove what a slot has taken.

import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, decodeHex, encodeHex, utf8 } from "../../protocol/encodings.js";
import { verifyBytes } from "../../protocol/signature.js";
import { slotReceiptText } from "../../protocol/signed-text.js";
import { takingKeyFrom } from "../../protocol/taking-key.js";
import type { Schemas } from "../connection/calls.js";
import type { Exporter } from "../crypto/envelope.js";
import { demandNumber } from "../runtime/arguments.js";

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

/** The key that takes one commit slot. */
export interface TakingKey {
  /** The name of the slot, 64 hex digits. */
  slot: string;
  /** The members with which `takeSlot` proves that the sender may take the slot with this content. */
  sign(content: Uint8Array): { public_key: string; signature: string; path?: string[] };
}

/** Proves what a slot has taken. */
export type SlotReceipt = Schemas["SlotReceipt"];

const label = "mls-relay commit slot";
const seedBytes = 32;
const attemptBytes = 4;
const maxAttempt = 2 ** 32 - 1;

/** The key that takes an epoch's slot. There is one for each attempt; the first is 0. */
export async function commitSlotKey(
  { domain }: Pick<SlotRelay, "domain">,
  { exporter, attempt }: { exporter: Exporter; attempt: number },
): Promise<TakingKey> {
  demandNumber(attempt, "attempt", [0, maxAttempt]);
  const number = new Uint8Array(attemptBytes);
  new DataView(number.buffer).setUint32(0, attempt);
  return takingKeyFrom(await exporter(label, concatBytes(number, utf8(domain)), seedBytes), domain);
}

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
