import { keyedHash } from "../auth/keyed-hash.js";
import type { Secrets } from "../auth/secrets.js";
import type { Db } from "../database/db.js";
import type { RemovedDevice } from "./store.js";
import { insertTombstones, takeTombstone, updateBan, updateBlock } from "./store.js";

/** Blocks and bans of removed devices. They are stored under a keyed hash of the id, so that inactivity does not lift them. */
export type BlockTombstones = ReturnType<typeof createBlockTombstones>;

const secretName = "block-tombstones";

export function createBlockTombstones(deps: { secrets: Pick<Secrets, "get"> }) {
  const hashOf = async (deviceId: string): Promise<Uint8Array> =>
    keyedHash(await deps.secrets.get(secretName), deviceId);

  return {
    /** Loads the key of the hashes, so that no transaction waits for a second connection to read it. */
    async prepare(): Promise<void> {
      await deps.secrets.get(secretName);
    },
    /** Stores a tombstone for each removed device that is blocked or still banned. */
    async keep(db: Db, removed: readonly RemovedDevice[], now: number): Promise<void> {
      const barred = removed.filter((device) => device.blockedAt !== null || (device.bannedUntil ?? 0) > now);
      const hashed = barred.map(async (device) => ({ ...device, hash: await hashOf(device.deviceId) }));
      await insertTombstones(db, await Promise.all(hashed), now);
    },
    /** Blocks or bans a returning device again. */
    async restore(db: Db, deviceId: string): Promise<void> {
      const tombstone = await takeTombstone(db, await hashOf(deviceId));
      if (tombstone === undefined) return;
      await updateBlock(db, deviceId, tombstone.blockedAt);
      await updateBan(db, deviceId, tombstone.bannedUntil);
    },
    /** Deletes the tombstone of a device; false if it has none. */
    async erase(db: Db, deviceId: string): Promise<boolean> {
      return (await takeTombstone(db, await hashOf(deviceId))) !== undefined;
    },
  };
}
