import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { placeKey } from "../../src/database/key-placement.js";
import { postgresHash } from "../../src/database/postgres-hash.js";

// On which part of a distributed database keys lie (spec/decisions/0040).

const sixteenth = (bytes: Uint8Array): number => Math.floor((postgresHash(bytes) + 2 ** 31) / 2 ** 28);
const cases = Array.from({ length: 200 }, () => ({
  key: randomBytes(16).toString("latin1"),
  deviceId: randomBytes(32).toString("hex"),
}));

it("a key that is placed for a device has a hash in the same sixteenth of the range as the device", () => {
  for (const { key, deviceId } of cases) {
    const placed = Buffer.from(placeKey(key, deviceId), "latin1");
    expect(placed).toHaveLength(16);
    expect(sixteenth(placed)).toBe(sixteenth(Buffer.from(deviceId)));
  }
});

it("it keeps all bytes but the last, and depends on nothing but these and the device", () => {
  for (const { key, deviceId } of cases) {
    const placed = placeKey(key, deviceId);
    expect(placed.slice(0, 15)).toBe(key.slice(0, 15));
    expect(placeKey(placed, deviceId)).toBe(placed);
    for (const { deviceId: other } of cases) expect(placeKey(placeKey(key, other), deviceId)).toBe(placed);
  }
});
