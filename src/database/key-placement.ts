import { hashesByLastByte, postgresHash, uuidBytes } from "./postgres-hash.js";

// If rows lie on several machines, the key of a message for a device of this server lies on the machine that holds the
// device's queue: then one machine stores all of the message, and another one that does not answer does no harm to it. A
// row's place is decided by a hash of its key, so the last byte of the key is chosen for that. It is chosen on one machine
// too: the keys stay as they are when the database is spread over several, and on the way back.
//
// The choice depends on key and device alone, not on how many shards there are at the moment: it goes by sixteenths of the
// range of hashes, and shards are such parts, or halves of them, or several together. The key of a message for another
// server is not placed: it lies anywhere, as its hash says.

const slotBits = 4;
const byteValues = 256;
const chosenByte = uuidBytes - 1;
const bytes = Buffer.alloc(uuidBytes);

/** The key of 16 bytes, a character each, with its last byte chosen for the device. Placing a key twice changes nothing. */
export function placeKey(key: string, deviceId: string): string {
  const slot = slotOf(postgresHash(Buffer.from(deviceId)));
  bytes.write(key, "latin1");
  const hashOf = hashesByLastByte(bytes);
  for (let value = 0; value < byteValues; value++) {
    if (slotOf(hashOf(value)) === slot) return key.slice(0, chosenByte) + String.fromCharCode(value);
  }
  // One key in ten million fits nowhere, and lies on some machine.
  return `${key.slice(0, chosenByte)}\0`;
}

function slotOf(hash: number): number {
  return (hash + 2 ** 31) >>> (32 - slotBits);
}
