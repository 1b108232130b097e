import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { IpHashes } from "./ip-hash.js";

/** Network addresses that may not register for a while. `ip` is always a network key (network-key.ts). */
export type IpBans = ReturnType<typeof createIpBans>;

/** Bans are kept under the address's hash of the day they began (see ip-hash.ts). */
export function createIpBans(deps: { ipHashes: IpHashes; clock: Clock }) {
  const { ipHashes, clock } = deps;
  return {
    /**
     * Bans for some seconds from now, at most a day, because after that the address could not be recognised. Never
     * shortens a ban.
     */
    async ban(db: Db, ip: string, seconds: number): Promise<void> {
      const sql = `
        insert into ip_bans (ip_hash, banned_until)
        values (:ip_hash::text, :until::bigint)
        on conflict (ip_hash) do update set banned_until = greatest(ip_bans.banned_until, excluded.banned_until)`;
      await db.run(sql, { ip_hash: await ipHashes.hash(ip), until: clock.nowSeconds() + seconds });
    },
    /** When the ban ends, Unix seconds; null if there is none. */
    async bannedUntil(db: Db, ip: string): Promise<number | null> {
      const sql = `
        select max(banned_until) as until from ip_bans
        where ip_hash = any(:hashes::text[]) and banned_until > :now::bigint`;
      const hashes = [...(await ipHashes.hashes(ip))];
      const row = await db.one<{ until: number | null }>(sql, { hashes, now: clock.nowSeconds() });
      return row?.until ?? null;
    },
    /** Lifts a ban; false when there was none. */
    async unban(db: Db, ip: string): Promise<boolean> {
      const sql = `
        delete from ip_bans
        where ip_hash = any(:hashes::text[]) and banned_until > :now::bigint
        returning ip_hash`;
      const hashes = [...(await ipHashes.hashes(ip))];
      return (await db.rows(sql, { hashes, now: clock.nowSeconds() })).length > 0;
    },
    async removeExpired(db: Db): Promise<void> {
      await db.run("delete from ip_bans where banned_until <= :now::bigint", { now: clock.nowSeconds() });
    },
  };
}
