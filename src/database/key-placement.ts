import { hashesByLastByte, postgresHash, uuidBytes } from "./postgres-hash.js";

// If rows are on several machines, the key of a message for a device of this server is on the machine with the device's
// queue: one machine then stores all of the message, and other machines that are down do not affect it. A hash of the
// key decides a row's place, so the last byte of the key is chosen accordingly. It is chosen on one machine, too, so
// keys stay the same when the database is distributed, and back.
//
// The choice depends only on key and device, not on the current number of shards: it uses sixteenths of the range of
// hashes, and each shard is such a part, a half of one, or several together. The key of a message for another server is
// not placed; its hash decides.

const slotBits = 4;
const byteValues = 256;
const chosenByte = uuidBytes - 1;
const bytes = Buffer.alloc(uuidBytes);

/**
 * The 16-byte key, one character per byte, with its last byte chosen for the device. Placing a key twice changes
 * nothing.
 */
export function placeKey(key: string, deviceId: string): string {
  const slot = slotOf(postgresHash(Buffer.from(deviceId)));
  bytes.write(key, "latin1");
  const hashOf = hashesByLastByte(bytes);
  for (let value = 0; value < byteValues; value++) {
    if (slotOf(hashOf(value)) === slot) return key.slice(0, chosenByte) + String.fromCharCode(value);
  }
  // One key in ten million fits nowhere and goes to an arbitrary machine.
  return `${key.slice(0, chosenByte)}\0`;
}

function slotOf(hash: number): number {
  return (hash + 2 ** 31) >>> (32 - slotBits);
}
