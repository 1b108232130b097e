import { postgresHash } from "../../platform/database/postgres-hash.js";
import { type MessageKey, placedForm, withChosenByte } from "./message-key.js";

// Where the database is distributed, the key of a message for a device of this server is to lie on the machine that holds
// the device's queue: then one machine stores all of the message, and another one that does not answer does no harm to it.
// A row's place is decided by a hash of its key. So one byte of the key, a part of a long hash, is chosen for that.
//
// The choice depends on key and device alone, not on how many shards there are at the moment: it goes by sixteenths of the
// range of hashes, and shards are such parts, or halves of them, or several together.

const slotBits = 4;
const slots = 2 ** slotBits;
const byteValues = 256;

/** The key with that byte chosen for the device. Placing a key twice changes nothing. */
export function placeKey(key: MessageKey, deviceId: string): MessageKey {
  return withSlot(key, slotOf(Buffer.from(deviceId)));
}

/** Every key that `placeKey` can make of this one. */
export function placedKeys(key: MessageKey): MessageKey[] {
  return Array.from({ length: slots }, (_, slot) => withSlot(key, slot));
}

function withSlot(key: MessageKey, slot: number): MessageKey {
  for (let value = 0; value < byteValues; value++) {
    const placed = withChosenByte(key, value);
    if (slotOf(Buffer.from(placedForm(placed), "latin1")) === slot) return placed;
  }
  // One key in ten million fits nowhere, and lies on some machine.
  return withChosenByte(key, 0);
}

function slotOf(bytes: Uint8Array): number {
  return (postgresHash(bytes) + 2 ** 31) >>> (32 - slotBits);
}
