import type { Db } from "../platform/database/connection.js";
import { keyedHash } from "../platform/keyed-hash.js";
import type { Secrets } from "../platform/secrets.js";
import { insertMarks, takeMark } from "./mark-store.js";
import type { RemovedDevice } from "./removal-store.js";
import { updateBan, updateBlock } from "./store.js";

/** Blocks and bans of removed devices, kept under a keyed hash of the id so that inactivity does not lift them. */
export interface Marks {
  /** Reads the hashes' key, so that no transaction has to wait for another connection to read it. */
  prepare(): Promise<void>;
  /** Keeps the marks of those of the removed devices that are blocked, or banned beyond this moment. */
  keep(db: Db, removed: readonly RemovedDevice[], now: number): Promise<void>;
  /** Gives a device that has come back its mark again. */
  restore(db: Db, deviceId: string): Promise<void>;
  /** Forgets a device's mark; false if it has none. */
  erase(db: Db, deviceId: string): Promise<boolean>;
}

const secretName = "device-marks";

export function createMarks(needs: { secrets: Pick<Secrets, "get"> }): Marks {
  const hashOf = async (deviceId: string): Promise<Uint8Array> =>
    keyedHash(await needs.secrets.get(secretName), deviceId);

  return {
    async prepare() {
      await needs.secrets.get(secretName);
    },
    async keep(db, removed, now) {
      const marked = removed.filter((device) => device.blockedAt !== null || (device.bannedUntil ?? 0) > now);
      const hashed = marked.map(async (device) => ({ ...device, hash: await hashOf(device.deviceId) }));
      await insertMarks(db, await Promise.all(hashed), now);
    },
    async restore(db, deviceId) {
      const mark = await takeMark(db, await hashOf(deviceId));
      if (mark === undefined) return;
      await updateBlock(db, deviceId, mark.blockedAt);
      await updateBan(db, deviceId, mark.bannedUntil);
    },
    async erase(db, deviceId) {
      return (await takeMark(db, await hashOf(deviceId))) !== undefined;
    },
  };
}
