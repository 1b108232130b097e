/** What a slot has taken. Bytes; times in Unix seconds. */
export interface Slot {
  /** The relay that has the slot. */
  domain: string;
  content: Buffer;
  contentHash: Buffer;
  /** The public key that made the signature. */
  slotKey: Buffer;
  signature: Buffer;
  taker?: SlotTaker | undefined;
  expiresAt: number;
}

/** Which of the keys that a slot is named after has taken it, and its signature over the content. */
export interface SlotTaker {
  publicKey: Buffer;
  signature: Buffer;
}

/** The answer to a request that takes a slot. `won` also if the same content took it before. */
export interface TakenSlot extends Slot {
  won: boolean;
}

/** What one of many slots has. Content that had no room in the answer is left out. */
export type SlotReading = { kind: "free" } | { kind: "expired" } | { kind: "left out" } | ({ kind: "taken" } & Slot);

/** Content for a slot. */
export interface SlotContent {
  slot: Buffer;
  content: Buffer;
  /** The public key that the group expects the relay with the slot to have. */
  slotKey: Buffer;
  /** The key that the slot is named after, or one of them, and its signature (as hex) over the content. */
  publicKey: Buffer;
  signature: string;
  /** From the key to the name, if the slot is named after several keys. */
  path?: readonly Buffer[] | undefined;
}
