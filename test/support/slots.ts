import { randomBytes } from "node:crypto";
import { type TakingKey, takingKeyFrom } from "../../src/protocol/taking-key.js";

const seeds = new Map<string, Uint8Array>();

/** A slot of a new key, which `takingOf` knows by the name. */
export function newSlot(isWanted: (name: string) => boolean = () => true): string {
  for (;;) {
    const seed = new Uint8Array(randomBytes(32));
    const { slot } = takingKeyFrom(seed, "");
    if (!isWanted(slot)) continue;
    seeds.set(slot, seed);
    return slot;
  }
}

/** Content for a slot, in base64, with the slot key that the group expects, signed by the slot's own key. */
export function takingOf(slot: string, taking: { content: string; slot_key: string }, domain: string) {
  return { ...taking, ...keyOf(slot, domain).sign(new Uint8Array(Buffer.from(taking.content, "base64"))) };
}

/** A key that fits no name, for names that `newSlot` has not made. */
function keyOf(slot: string, domain: string): TakingKey {
  return takingKeyFrom(seeds.get(slot.toLowerCase()) ?? new Uint8Array(randomBytes(32)), domain.toLowerCase());
}
