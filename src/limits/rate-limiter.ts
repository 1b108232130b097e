import { keyedHash } from "../auth/keyed-hash.js";
import type { Secrets } from "../auth/secrets.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import { siteKey } from "../platform/addresses/network-key.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { concludeLimits, type LimitOutcome } from "./conclude.js";
import type { RateLimitSettings } from "./config.js";
import type { IpHashes } from "./ip-hash.js";
import { type LimitRequest, limitError } from "./limit-request.js";
import {
  type CountedWindow,
  countInWindows,
  deleteEndedWindows,
  giveBackToWindows,
  type WantedWindow,
} from "./windows-store.js";

/** The outcome, at a time in Unix seconds. */
type LimitAnswer = Pick<LimitOutcome, "states" | "refused"> & { now: number };

/** Windows in the database, shared by all nodes (spec/decisions, "One table of rate limits"). */
export interface RateLimiter {
  /** Reads the hashes' key, so that no transaction has to wait for another connection to read it. */
  prepare(): Promise<void>;
  /** Reads the key of today's hashes of network addresses likewise. */
  prepareIp(): Promise<void>;
  /** Counts each request in its window if all of them fit, or none. The observer is notified in either case. */
  take(db: Db, requests: readonly LimitRequest[], observer?: LimitObserver): Promise<LimitAnswer>;
  /** The same, but throws the limit's error for a refusal. */
  count(db: Db, requests: readonly LimitRequest[], observer?: LimitObserver): Promise<void>;
  /** Takes back what requests have counted. */
  giveBack(db: Db, requests: readonly LimitRequest[]): Promise<void>;
  /** What is left of windows, without counting. */
  read(db: Db, requests: readonly LimitRequest[]): Promise<LimitState[]>;
  /** The hash under which a window of these ids is counted, for a statement that contains `countWantedWindows`. */
  keyOf(name: string, ids: readonly string[]): Promise<Buffer>;
  /** Concludes from what such a statement counted for each request. */
  conclude(
    db: Db,
    counted: { requests: readonly LimitRequest[]; windows: readonly CountedWindow[][] },
    observer?: LimitObserver,
  ): Promise<LimitAnswer>;
  removeExpired(db: Db): Promise<void>;
}

interface RateLimiterDeps {
  ipHashes: Pick<IpHashes, "hashes">;
  secrets: Pick<Secrets, "get">;
  clock: Clock;
  config: Pick<RateLimitSettings, "ipv6SiteFactor">;
}

const secretName = "rate-limits";
const rowsPerStep = 1000;

/**
 * Rows are known by keyed hashes only. Those of network addresses are made of hashes whose key changes daily and is
 * deleted after two days. A window that began yesterday continues under yesterday's hash, so midnight gives nobody a
 * second allowance; windows are therefore at most a day long. An IPv6 /64 counts for its /48 too, which may do a
 * multiple: the owner of one /48 has 65,536 /64s.
 */
export function createRateLimiter(deps: RateLimiterDeps): RateLimiter {
  const { ipHashes, clock } = deps;
  const secret = () => deps.secrets.get(secretName);
  const windowsOf = createWindowKeys({ ...deps, secret });

  const conclude: RateLimiter["conclude"] = async (db, { requests, windows }, observer) => {
    const now = clock.nowSeconds();
    const { states, refused, unused } = concludeLimits(requests, windows);
    if (unused.length > 0) await giveBackToWindows(db, unused);
    observer?.observeLimits(states, now);
    return { states, refused, now };
  };
  const take: RateLimiter["take"] = async (db, requests, observer) => {
    const wanted = await Promise.all(requests.map(windowsOf));
    const takeIn = async (at: Db): Promise<LimitAnswer> => {
      const counted = await countInWindows(at, wanted.flat(), { now: clock.nowSeconds() });
      const rest = [...counted];
      const windows = wanted.map(({ length }) => rest.splice(0, length));
      return conclude(at, { requests, windows }, observer);
    };
    // The rows stay locked until everything counted in vain has been given back, so that nobody is refused because of
    // it.
    return wanted.flat().length > 1 && !db.isTransaction ? db.transaction(takeIn) : takeIn(db);
  };

  return {
    async prepare() {
      await secret();
    },
    async prepareIp() {
      await Promise.all([secret(), ipHashes.hashes("")]);
    },
    take,
    conclude,
    async count(db, requests, observer) {
      const { refused, now } = await take(db, requests, observer);
      if (refused !== undefined) throw limitError(refused, now);
    },
    async giveBack(db, requests) {
      const windows = (await Promise.all(requests.map(windowsOf))).flat();
      if (windows.length > 0) await giveBackToWindows(db, windows);
    },
    async read(db, requests) {
      return (
        await take(
          db,
          requests.map((request) => ({ ...request, cost: 0 })),
        )
      ).states;
    },
    keyOf: async (name, ids) => keyedHash(await secret(), name, ...ids),
    async removeExpired(db) {
      const now = clock.nowSeconds();
      await inBoundedSteps(rowsPerStep, (limit) => deleteEndedWindows(db, { now, limit }));
    },
  };
}

/** Makes the function that finds the windows that a request counts in, its own first. */
function createWindowKeys({
  ipHashes,
  config,
  secret,
}: Pick<RateLimiterDeps, "ipHashes" | "config"> & { secret: () => Promise<Uint8Array> }) {
  const windowOfIp = async (ip: string, { name, subject, limit, windowSeconds, cost = 1 }: LimitRequest) => {
    const key = await secret();
    const [today, yesterday] = await ipHashes.hashes(ip);
    const ids = subject.ids ?? [];
    const [own, earlierKey] = [keyedHash(key, name, today, ...ids), keyedHash(key, name, yesterday, ...ids)];
    return { key: own, earlierKey, cost, limit, seconds: windowSeconds };
  };
  return async (request: LimitRequest): Promise<WantedWindow[]> => {
    const { subject, limit, windowSeconds, cost = 1 } = request;
    if (!("ip" in subject)) {
      const key = keyedHash(await secret(), request.name, ...subject.ids);
      return [{ key, earlierKey: null, cost, limit, seconds: windowSeconds }];
    }
    const own = await windowOfIp(subject.ip, request);
    const site = siteKey(subject.ip);
    if (site === undefined) return [own];
    return [own, await windowOfIp(site, { ...request, limit: limit * config.ipv6SiteFactor })];
  };
}
