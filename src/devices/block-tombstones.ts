import { keyedHash } from "../auth/keyed-hash.js";
import type { Secrets } from "../auth/secrets.js";
import type { Db } from "../database/db.js";
import type { RemovedDevice } from "./store.js";
import { insertTombstones, takeTombstone, updateBan, updateBlock } from "./store.js";

/** Blocks and bans of removed devices. They are stored under a keyed hash of the id, so that inactivity does not lift them. */
export interface BlockTombstones {
  /** Loads the key of the hashes, so that no transaction waits for a second connection to read it. */
  prepare(): Promise<void>;
  /** Stores a tombstone for each removed device that is blocked or still banned. */
  keep(db: Db, removed: readonly RemovedDevice[], now: number): Promise<void>;
  /** Blocks or bans a returning device again. */
  restore(db: Db, deviceId: string): Promise<void>;
  /** Deletes the tombstone of a device; false if it has none. */
  erase(db: Db, deviceId: string): Promise<boolean>;
}

const secretName = "block-tombstones";

export function createBlockTombstones(deps: { secrets: Pick<Secrets, "get"> }): BlockTombstones {
  const hashOf = async (deviceId: string): Promise<Uint8Array> =>
    keyedHash(await deps.secrets.get(secretName), deviceId);

  return {
    async prepare() {
      await deps.secrets.get(secretName);
    },
    async keep(db, removed, now) {
      const barred = removed.filter((device) => device.blockedAt !== null || (device.bannedUntil ?? 0) > now);
      const hashed = barred.map(async (device) => ({ ...device, hash: await hashOf(device.deviceId) }));
      await insertTombstones(db, await Promise.all(hashed), now);
    },
    async restore(db, deviceId) {
      const tombstone = await takeTombstone(db, await hashOf(deviceId));
      if (tombstone === undefined) return;
      await updateBlock(db, deviceId, tombstone.blockedAt);
      await updateBan(db, deviceId, tombstone.bannedUntil);
    },
    async erase(db, deviceId) {
      return (await takeTombstone(db, await hashOf(deviceId))) !== undefined;
    },
  };
}
