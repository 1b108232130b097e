import { keyedHash } from "../auth/keyed-hash.js";
import type { MasterKey } from "../auth/master-key.js";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { createLruCache } from "../platform/lru-cache.js";
import type { Random } from "../platform/random.js";
import { daySeconds } from "../protocol/units.js";

/** Represents a network address wherever something is counted or banned by it (spec/decisions, "Privacy"). */
export interface IpHashes {
  /** The address's hash under today's key, 64 hex characters. */
  hash(ip: string): Promise<string>;
  /** Today's hash and yesterday's, today's first: counts under either still apply. */
  hashes(ip: string): Promise<readonly [string, string]>;
  /** Reads the keys again, which the database may lack after a failover. */
  forget(): void;
}

interface IpHashDeps {
  db: Database;
  masterKey: MasterKey;
  random: Random;
  clock: Clock;
  /** Whether the clock may be trusted with deleting the keys of earlier days. */
  isTimeSound: () => boolean;
}

const keyBytes = 32;
const cacheEntries = 10_000;

/**
 * Hashes with a key that changes at midnight UTC. Only today's key and yesterday's are kept, so that nobody can link
 * older hashes to an address. `ip` is a network key (network-key.ts), so one IPv6 /64 has one hash.
 */
export function createIpHashes(deps: IpHashDeps): IpHashes {
  let loaded: { day: number; keys: Promise<readonly [Uint8Array, Uint8Array]> } | undefined;
  const cache = createLruCache<string, readonly [string, string]>(cacheEntries);

  const keysOf = (day: number): Promise<readonly [Uint8Array, Uint8Array]> => {
    if (loaded?.day === day) return loaded.keys;
    const keys = loadKeys(deps, day);
    const loading = { day, keys };
    loaded = loading;
    cache.clear();
    keys.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return keys;
  };
  const hashes = async (ip: string): Promise<readonly [string, string]> => {
    const day = Math.floor(deps.clock.nowSeconds() / daySeconds);
    const [today, yesterday] = await keysOf(day);
    const name = `${day} ${ip}`;
    const found = cache.get(name) ?? ([hexHash(today, ip), hexHash(yesterday, ip)] as const);
    cache.set(name, found);
    return found;
  };

  const forget = (): void => {
    loaded = undefined;
  };
  return { hashes, hash: async (ip) => (await hashes(ip))[0], forget };
}

async function loadKeys(
  deps: Pick<IpHashDeps, "db" | "masterKey" | "random" | "isTimeSound">,
  today: number,
): Promise<readonly [Uint8Array, Uint8Array]> {
  const days = [today, today - 1];
  const drafts = days.map((day) => deps.masterKey.seal(purpose(day), deps.random.bytes(keyBytes)));
  await insertDailyKeys(deps.db, days, drafts);
  if (deps.isTimeSound()) await deleteDailyKeysBefore(deps.db, today - 1);
  const kept = new Map((await readDailyKeys(deps.db, days)).map((row) => [row.day, row.sealed]));
  const open = (day: number): Uint8Array => deps.masterKey.open(purpose(day), kept.get(day) ?? Buffer.alloc(0));
  return [open(today), open(today - 1)];
}

function purpose(day: number): string {
  return `daily key ${day}`;
}

function hexHash(key: Uint8Array, ip: string): string {
  return keyedHash(key, ip).toString("hex");
}

async function insertDailyKeys(db: Database, days: readonly number[], keys: readonly Buffer[]): Promise<void> {
  const sql = `
    insert into daily_keys (day, sealed)
    select day, sealed from unnest(:days::integer[], :keys::bytea[]) as drafts (day, sealed)
    on conflict (day) do nothing`;
  await db.run(sql, { days, keys });
}

async function deleteDailyKeysBefore(db: Database, day: number): Promise<void> {
  await db.run("delete from daily_keys where day < :day::integer", { day });
}

function readDailyKeys(db: Database, days: readonly number[]): Promise<{ day: number; sealed: Buffer }[]> {
  return db.rows("select day, sealed from daily_keys where day = any(:days::integer[])", { days });
}
