import type { Clock } from "../cluster/clock.js";
import type { Config } from "../config/config.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import { type Db, inTransaction, rows } from "../database/connection.js";
import { siteKey } from "../net/client-ip.js";
import type { IpHashes } from "./ip-hash.js";

/** A limit on one kind of action by one network address: at most `limit` times in a window. */
export interface IpWindow {
  /** For instance `challenge`; kinds are counted apart. */
  kind: string;
  /** The network key of ip.ts. */
  ip: string;
  windowSeconds: number;
  limit: number;
}

export interface IpWindowAnswer {
  granted: boolean;
  /** When the window ends, Unix seconds. */
  resetAt: number;
}

/** Counters per network address, shared by all nodes. A window is fixed: it begins with the first thing it counts. */
export interface IpWindows {
  /**
   * Counts one more if the limit allows it; what is refused is not counted. An IPv6 /64 counts for its /48 too, which may do
   * a multiple: the owner of one /48 has 65,536 /64s.
   */
  take(db: Db, window: IpWindow): Promise<IpWindowAnswer>;
  removeExpired(db: Db): Promise<void>;
}

const rowsPerStep = 1000;
const highestCount = 2_147_483_647;

/**
 * Addresses are known by a hash whose key changes daily. A window that began yesterday goes on under yesterday's hash,
 * so midnight gives nobody a second allowance; windows are therefore at most a day long.
 */
export function createIpWindows(deps: {
  ipHashes: IpHashes;
  clock: Clock;
  config: Pick<Config, "ipv6SiteFactor">;
}): IpWindows {
  const takeOne = async (db: Db, { kind, ip, windowSeconds, limit }: IpWindow): Promise<IpWindowAnswer> => {
    const now = deps.clock.nowSeconds();
    const [today, yesterday] = await deps.ipHashes.hashes(ip);
    const older = await readWindow(db, { ip_hash: yesterday, kind, now });
    const ip_hash = older === undefined ? today : yesterday;
    const expires_at = now + windowSeconds;
    const counted = await countOne(db, { ip_hash, kind, now, expires_at, limit });
    if (counted !== undefined) return { granted: true, resetAt: counted };
    return { granted: false, resetAt: (await readWindow(db, { ip_hash, kind, now })) ?? expires_at };
  };
  /** The /48 first, so that one whose allowance is used up leaves no rows for its /64s. Counted in both, or in neither. */
  const takeBoth = async (db: Db, own: IpWindow, site: IpWindow): Promise<IpWindowAnswer> => {
    let answer: IpWindowAnswer | undefined;
    try {
      return await inTransaction(db, async (trx) => {
        answer = await takeOne(trx, site);
        if (answer.granted) answer = await takeOne(trx, own);
        if (!answer.granted) throw new Refused();
        return answer;
      });
    } catch (error) {
      if (error instanceof Refused && answer !== undefined) return answer;
      throw error;
    }
  };

  return {
    async take(db, window) {
      const site = siteKey(window.ip);
      if (site === undefined) return takeOne(db, window);
      // The hashes' key may have to be read from the database: before the transaction, which holds a connection already.
      await deps.ipHashes.hashes(site);
      const limit = Math.min(window.limit * deps.config.ipv6SiteFactor, highestCount);
      return takeBoth(db, window, { ...window, ip: site, limit });
    },
    async removeExpired(db) {
      const now = deps.clock.nowSeconds();
      await inBoundedSteps(rowsPerStep, (limit) => deleteExpired(db, { now, limit }));
    },
  };
}

/** Rolls back what was counted. */
class Refused extends Error {}

/** The end of the window after counting; undefined when the limit is reached. */
async function countOne(
  db: Db,
  window: { ip_hash: string; kind: string; now: number; expires_at: number; limit: number },
): Promise<number | undefined> {
  const sql = `
    insert into ip_windows (ip_hash, kind, window_started_at, count, expires_at)
    select :ip_hash::text, :kind::text, :now::bigint, 1, :expires_at::bigint
    where :limit::integer > 0
    on conflict (ip_hash, kind) do update
    set count = case when ip_windows.expires_at <= :now::bigint then 1 else ip_windows.count + 1 end,
        window_started_at = case when ip_windows.expires_at <= :now::bigint
                                 then excluded.window_started_at else ip_windows.window_started_at end,
        expires_at = case when ip_windows.expires_at <= :now::bigint
                          then excluded.expires_at else ip_windows.expires_at end
    where ip_windows.expires_at <= :now::bigint or ip_windows.count < :limit::integer
    returning expires_at`;
  const [row] = await rows<{ expires_at: number }>(db, sql, window);
  return row?.expires_at;
}

async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<number> {
  const sql = `
    delete from ip_windows as w
    using (
      select ip_hash, kind from ip_windows
      where expires_at <= :now::bigint order by expires_at limit :limit::integer
    ) as ended
    where w.ip_hash = ended.ip_hash and w.kind = ended.kind and w.expires_at <= :now::bigint
    returning 1`;
  return (await rows(db, sql, range)).length;
}

/** The end of a window that is open now. */
async function readWindow(db: Db, window: { ip_hash: string; kind: string; now: number }): Promise<number | undefined> {
  const sql = `
    select expires_at from ip_windows
    where ip_hash = :ip_hash::text and kind = :kind::text and expires_at > :now::bigint`;
  const [row] = await rows<{ expires_at: number }>(db, sql, window);
  return row?.expires_at;
}
