// The names of commit slots, and the keys that take them. Both come from the exporter of the epoch, so that only its members know them.

import { concatBytes, utf8 } from "../../protocol/encodings.js";
import { takingKeyFrom } from "../../protocol/taking-key.js";
import type { Exporter } from "../crypto/envelope.js";
import { demandNumber } from "../runtime/arguments.js";
import type { SlotRelay } from "./slot-receipts.js";

/** The key that takes one commit slot. */
export interface TakingKey {
  /** The name of the slot, 64 hex digits. */
  slot: string;
  /** The members with which `takeSlot` proves that the sender may take the slot with this content. */
  sign(content: Uint8Array): { public_key: string; signature: string; path?: string[] };
}

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
