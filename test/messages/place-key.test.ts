import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { placedKeys, placeKey } from "../../src/messages/ingest/place-key.js";
import { postgresHash } from "../../src/platform/database/postgres-hash.js";

const sixteenth = (bytes: Uint8Array): number => Math.floor((postgresHash(bytes) + 2 ** 31) / 2 ** 28);

describe("a key that is placed for a device", () => {
  const cases = Array.from({ length: 200 }, () => ({
    key: randomBytes(32).toString("latin1"),
    deviceId: randomBytes(32).toString("hex"),
  }));

  it("has a hash in the same sixteenth of the range as the device", () => {
    for (const { key, deviceId } of cases) {
      const placed = placeKey(key, deviceId);
      expect(placed).toHaveLength(key.length);
      expect(sixteenth(Buffer.from(placed, "latin1"))).toBe(sixteenth(Buffer.from(deviceId)));
    }
  });

  it("stays the same when it is placed again, and is one of the sixteen that the key may become", () => {
    for (const { key, deviceId } of cases) {
      const placed = placeKey(key, deviceId);
      expect(placeKey(placed, deviceId)).toBe(placed);
      expect(placedKeys(key)).toContain(placed);
    }
  });
});
