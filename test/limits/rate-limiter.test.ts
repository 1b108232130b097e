import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSecrets } from "../../src/auth/secrets.js";
import type { Db } from "../../src/database/db.js";
import { createIpBans, type IpBans } from "../../src/limits/ip-ban-store.js";
import { createIpHashes, type IpHashes } from "../../src/limits/ip-hash.js";
import type { LimitRequest, LimitSubject } from "../../src/limits/limit-request.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/rate-limiter.js";
import type { LimitState } from "../../src/protocol/rate-limit.js";
import type { AnyRow } from "../support/any-row.js";
import { expectDuring, timed } from "../support/during.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

const config = { ipv6SiteFactor: 4 };
const daySeconds = 86_400;
const hourSeconds = 3600;
let fixture: TrustFixture;
let ipHashes: IpHashes;
let limiter: RateLimiter;
let bans: IpBans;

beforeAll(async () => {
  fixture = await createTrustFixture();
  ipHashes = createIpHashes(fixture);
  limiter = createRateLimiter({ ipHashes, secrets: createSecrets(fixture), clock: fixture.clock, config });
  bans = createIpBans({ ipHashes, clock: fixture.clock });
});
afterAll(() => fixture.database.drop());

interface Asked {
  name: string;
  subject: LimitSubject;
  limit?: number;
  windowSeconds?: number;
  cost?: number;
}

const requestOf = ({ limit = 3, windowSeconds = hourSeconds, ...asked }: Asked): LimitRequest => ({
  ...asked,
  limit,
  windowSeconds,
  message: `too many of ${asked.name}`,
});

/** Takes from one window. */
async function takeOf(asked: Asked, db: Db = fixture.db, by = limiter) {
  const { refused, states } = await by.take(db, [requestOf(asked)]);
  return { granted: refused === undefined, resetAt: refused?.resetAt ?? 0, state: states[0] };
}

const countRows = async () => (await fixture.db.one<AnyRow>("select count(*)::integer as rows from rate_limits"))?.rows;

/** Advances to a moment after the next midnight (UTC). */
function advanceToMidnight(plusSeconds: number): void {
  fixture.clock.advance(daySeconds - (fixture.clock.nowSeconds() % daySeconds) + plusSeconds);
}

beforeEach(() => advanceToMidnight(hourSeconds));

describe("hashes of network addresses", () => {
  test("are the same on every node, differ by address, and hide the address", async () => {
    const hash = await ipHashes.hash("192.0.2.1");
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await createIpHashes(fixture).hash("192.0.2.1")).toBe(hash);
    expect(await ipHashes.hash("192.0.2.2")).not.toBe(hash);
  });

  test("change daily; yesterday's is still known, older ones cannot be made again", async () => {
    const [first] = await ipHashes.hashes("192.0.2.1");
    fixture.clock.advance(daySeconds);
    const [second, before] = await ipHashes.hashes("192.0.2.1");
    expect(before).toBe(first);
    expect(second).not.toBe(first);
    fixture.clock.advance(daySeconds);
    expect(await ipHashes.hashes("192.0.2.1")).not.toContain(first);
    expect(await fixture.db.rows<AnyRow>("select count(*)::integer as kept from daily_keys")).toEqual([{ kept: 2 }]);
  });
});

describe("windows per network address", () => {
  const take = (name: string, limit = 3) => takeOf({ name, subject: { ip: "192.0.2.9" }, limit });

  test("grant up to the limit, then refuse until the window ends", async () => {
    const first = await timed(fixture.clock, () => take("a"));
    expect(first.result.granted).toBe(true);
    for (let i = 0; i < 2; i++) expect((await take("a")).granted).toBe(true);
    const refusal = await take("a");
    expect(refusal.granted).toBe(false);
    expectDuring(refusal.resetAt, first, hourSeconds);
    fixture.clock.advance(hourSeconds + 1);
    expect((await take("a")).granted).toBe(true);
  });

  test("count kinds and addresses apart", async () => {
    expect((await take("b", 1)).granted).toBe(true);
    expect((await take("c", 1)).granted).toBe(true);
    const other = { name: "b", subject: { ip: "192.0.2.10" }, limit: 1 };
    expect((await takeOf(other)).granted).toBe(true);
    expect((await takeOf(other)).granted).toBe(false);
  });

  test("grant exactly the limit to many requests at once on two nodes", async () => {
    const deps = { ipHashes: createIpHashes(fixture), secrets: createSecrets(fixture), clock: fixture.clock, config };
    const second = createRateLimiter(deps);
    const asked = { name: "d", subject: { ip: "192.0.2.9" }, limit: 7 };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => takeOf(asked, fixture.db, i % 2 ? limiter : second)),
    );
    expect(answers.filter(({ granted }) => granted)).toHaveLength(7);
  });

  describe("of an IPv6 network", () => {
    const ofNetwork = (name: string, network: number, limit = 3, db: Db = fixture.db) =>
      takeOf({ name, subject: { ip: `2001:db8:7:${network.toString(16)}::/64` }, limit }, db);

    test("count each /64 by itself, and all of a /48 together for a multiple of that", async () => {
      for (let i = 0; i < 3; i++) expect((await ofNetwork("v6", 0)).granted).toBe(true);
      const refusal = await ofNetwork("v6", 0);
      expect(refusal.granted).toBe(false);
      // What the /64 was refused is not counted for the /48 either.
      for (let network = 1; network <= 9; network++) expect((await ofNetwork("v6", network)).granted).toBe(true);
      const full = await ofNetwork("v6", 10);
      expect(full.granted).toBe(false);
      expect(full.resetAt - fixture.clock.nowSeconds()).toBeLessThanOrEqual(hourSeconds);
      expect((await takeOf({ name: "v6", subject: { ip: "2001:db8:8:0::/64" } })).granted).toBe(true);
      fixture.clock.advance(hourSeconds + 1);
      expect((await ofNetwork("v6", 10)).granted).toBe(true);
    });

    test("leave no row for a /64 once its /48 may do no more", async () => {
      await fixture.db.run("delete from rate_limits");
      for (let network = 0; network < 50; network++) await ofNetwork("v6-rows", network, 1);
      const kept = await fixture.db.rows<AnyRow>("select count from rate_limits order by count");
      expect(kept).toEqual([...Array(4).fill({ count: 1 }), { count: 4 }]);
    });

    test("are exact when many /64 ask at once, in transactions too", async () => {
      await limiter.prepareIp();
      const asked = Array.from({ length: 24 }, (_, i) =>
        i % 2 ? ofNetwork("v6-many", i % 8, 1) : fixture.db.transaction((trx) => ofNetwork("v6-many", i % 8, 1, trx)),
      );
      expect((await Promise.all(asked)).filter(({ granted }) => granted)).toHaveLength(4);
    });
  });

  test("go on over midnight", async () => {
    advanceToMidnight(-60);
    for (let i = 0; i < 3; i++) await take("e");
    fixture.clock.advance(120);
    expect((await take("e")).granted).toBe(false);
    fixture.clock.advance(hourSeconds);
    expect((await take("e")).granted).toBe(true);
  });

  test("with a limit of zero nothing is granted, and nothing is written", async () => {
    const before = await countRows();
    expect((await take("f", 0)).granted).toBe(false);
    expect(await countRows()).toBe(before);
  });

  test("leave no row behind when they have ended", async () => {
    await take("g");
    fixture.clock.advance(2 * daySeconds);
    await limiter.removeExpired(fixture.db);
    expect(await countRows()).toBe(0);
  });
});

describe("windows of ids", () => {
  const short = { name: "short", subject: { ids: ["device-1"] }, limit: 2 };
  const long = { name: "long", subject: { ids: ["device-1"] }, limit: 5, windowSeconds: daySeconds };
  const takeBoth = async (cost = 1) => limiter.take(fixture.db, [requestOf(short), requestOf({ ...long, cost })]);
  const remaining = async () => {
    const states = await limiter.read(fixture.db, [requestOf(short), requestOf(long)]);
    return states.map((state) => state.remaining);
  };
  beforeEach(() => fixture.db.run("delete from rate_limits"));

  test("are taken together or not at all, and the longest wait is told", async () => {
    const first = await timed(fixture.clock, () => takeBoth(4));
    expect(first.result.refused).toBeUndefined();
    expect(await remaining()).toEqual([1, 1]);
    const { refused, states } = await takeBoth(2);
    expect(refused).toMatchObject({ name: "long" });
    expectDuring(refused?.resetAt, first, daySeconds);
    expect(states.map((state) => state.remaining)).toEqual([1, 1]);
    expect(await remaining()).toEqual([1, 1]);
    expect((await takeBoth()).refused).toBeUndefined();
    expect((await takeBoth()).refused).toMatchObject({ name: "long" });
  });

  test("give back what was counted in vain, so that many at once reach the limits exactly", async () => {
    const pairs = Array.from({ length: 30 }, (_, i) => [
      requestOf({ ...short, subject: { ids: ["device-1", String(i % 6)] }, limit: 1 }),
      requestOf({ ...long, limit: 4 }),
    ]);
    const answers = await Promise.all(pairs.map((pair) => limiter.take(fixture.db, pair)));
    expect(answers.filter(({ refused }) => refused === undefined)).toHaveLength(4);
    const [state] = await limiter.read(fixture.db, [requestOf({ ...long, limit: 4 })]);
    expect(state).toMatchObject({ remaining: 0 });
  });

  test("are read without being counted, and have no end before they begin", async () => {
    expect((await takeOf({ ...short, cost: 0 })).state).toMatchObject({ remaining: 2, resetAt: null });
    expect(await countRows()).toBe(0);
    expect((await takeOf({ ...short, cost: 2 })).state?.remaining).toBe(0);
    expect((await takeOf({ ...short, cost: 0 })).granted).toBe(true);
  });

  test("are rolled back with the caller's transaction", async () => {
    const failing = fixture.db.transaction(async (trx) => {
      await limiter.count(trx, [requestOf(short)]);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await remaining()).toEqual([2, 5]);
  });

  test("are refused with what the client needs to wait", async () => {
    await takeOf({ ...short, cost: 2 });
    const observed: LimitState[] = [];
    const counting = limiter.count(fixture.db, [requestOf(short)], {
      observeLimits: (states) => observed.push(...states),
    });
    await expect(counting).rejects.toMatchObject({ id: "RATE_LIMIT_EXCEEDED", extras: { limit: 2 } });
    expect(observed).toMatchObject([{ name: "short", limit: 2, remaining: 0 }]);
  });
});

describe("bans of network addresses", () => {
  test("hold until they end, over midnight too", async () => {
    expect(await bans.bannedUntil(fixture.db, "192.0.2.20")).toBeNull();
    const until = fixture.clock.nowSeconds() + daySeconds;
    await bans.ban(fixture.db, "192.0.2.20", daySeconds);
    fixture.clock.advance(daySeconds - hourSeconds);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.20")).toBeGreaterThanOrEqual(until);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.21")).toBeNull();
    fixture.clock.advance(hourSeconds + 1);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.20")).toBeNull();
  });

  test("are never shortened, and can be lifted", async () => {
    await bans.ban(fixture.db, "192.0.2.30", 1000);
    const until = await bans.bannedUntil(fixture.db, "192.0.2.30");
    await bans.ban(fixture.db, "192.0.2.30", 10);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.30")).toBe(until);
    expect(await bans.unban(fixture.db, "192.0.2.30")).toBe(true);
    expect(await bans.unban(fixture.db, "192.0.2.30")).toBe(false);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.30")).toBeNull();
  });

  test("leave no row behind when they have ended", async () => {
    await bans.ban(fixture.db, "192.0.2.40", 10);
    fixture.clock.advance(20);
    await bans.removeExpired(fixture.db);
    expect(await fixture.db.rows<AnyRow>("select count(*)::integer as rows from ip_bans")).toEqual([{ rows: 0 }]);
  });
});
