import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createIpBans, type IpBans } from "../../src/platform/rate-limit/ip-bans.js";
import { createIpHashes, type IpHashes } from "../../src/platform/rate-limit/ip-hash.js";
import { createIpWindows, type IpWindows } from "../../src/platform/rate-limit/ip-windows.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

const config = { ipv6SiteFactor: 4 };
const daySeconds = 86_400;
const hourSeconds = 3600;
let fixture: TrustFixture;
let ipHashes: IpHashes;
let windows: IpWindows;
let bans: IpBans;

beforeAll(async () => {
  fixture = await createTrustFixture();
  ipHashes = createIpHashes(fixture);
  windows = createIpWindows({ ipHashes, clock: fixture.clock, config });
  bans = createIpBans({ ipHashes, clock: fixture.clock });
});
afterAll(() => fixture.database.drop());

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
    expect((await fixture.db.raw("select count(*)::integer as kept from daily_keys")).rows).toEqual([{ kept: 2 }]);
  });
});

describe("windows per network address", () => {
  const take = (kind: string, limit = 3, windowSeconds = hourSeconds) =>
    windows.take(fixture.db, { kind, ip: "192.0.2.9", windowSeconds, limit });

  test("grant up to the limit, then refuse until the window ends", async () => {
    for (let i = 0; i < 3; i++) expect((await take("a")).granted).toBe(true);
    const refusal = await take("a");
    expect(refusal.granted).toBe(false);
    expect(refusal.resetAt - fixture.clock.nowSeconds()).toBeGreaterThan(hourSeconds - 10);
    fixture.clock.advance(hourSeconds + 1);
    expect((await take("a")).granted).toBe(true);
  });

  test("count kinds and addresses apart", async () => {
    expect((await take("b", 1)).granted).toBe(true);
    expect((await take("c", 1)).granted).toBe(true);
    const other = { kind: "b", ip: "192.0.2.10", windowSeconds: hourSeconds, limit: 1 };
    expect((await windows.take(fixture.db, other)).granted).toBe(true);
    expect((await windows.take(fixture.db, other)).granted).toBe(false);
  });

  test("grant exactly the limit to many requests at once on two nodes", async () => {
    const second = createIpWindows({ ipHashes: createIpHashes(fixture), clock: fixture.clock, config });
    const asked = { kind: "d", ip: "192.0.2.9", windowSeconds: hourSeconds, limit: 7 };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? windows : second).take(fixture.db, asked)),
    );
    expect(answers.filter(({ granted }) => granted)).toHaveLength(7);
  });

  describe("of an IPv6 network", () => {
    const ofNetwork = (kind: string, network: number, limit = 3) =>
      windows.take(fixture.db, {
        kind,
        ip: `2001:db8:7:${network.toString(16)}::/64`,
        windowSeconds: hourSeconds,
        limit,
      });

    test("count each /64 by itself, and all of a /48 together for a multiple of that", async () => {
      for (let i = 0; i < 3; i++) expect((await ofNetwork("v6", 0)).granted).toBe(true);
      const refusal = await ofNetwork("v6", 0);
      expect(refusal.granted).toBe(false);
      // What the /64 was refused is not counted for the /48 either.
      for (let network = 1; network <= 9; network++) expect((await ofNetwork("v6", network)).granted).toBe(true);
      const full = await ofNetwork("v6", 10);
      expect(full.granted).toBe(false);
      expect(full.resetAt - fixture.clock.nowSeconds()).toBeLessThanOrEqual(hourSeconds);
      const neighbour = { kind: "v6", ip: "2001:db8:8:0::/64", windowSeconds: hourSeconds, limit: 3 };
      expect((await windows.take(fixture.db, neighbour)).granted).toBe(true);
      fixture.clock.advance(hourSeconds + 1);
      expect((await ofNetwork("v6", 10)).granted).toBe(true);
    });

    test("leave no row for a /64 once its /48 may do no more", async () => {
      for (let network = 0; network < 50; network++) await ofNetwork("v6-rows", network, 1);
      const { rows: kept } = await fixture.db.raw("select count from ip_windows where kind = 'v6-rows' order by count");
      expect(kept).toEqual([...Array(4).fill({ count: 1 }), { count: 4 }]);
    });

    test("are exact when many /64 ask at once, in transactions too", async () => {
      await ipHashes.hash("2001:db8:7:0::/64");
      const asked = Array.from({ length: 24 }, (_, i) =>
        i % 2
          ? ofNetwork("v6-many", i % 8, 1)
          : fixture.db.transaction((trx) =>
              windows.take(trx, {
                kind: "v6-many",
                ip: `2001:db8:7:${i % 8}::/64`,
                windowSeconds: hourSeconds,
                limit: 1,
              }),
            ),
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
    expect((await take("f", 0)).granted).toBe(false);
    expect((await fixture.db.raw("select count(*)::integer as rows from ip_windows where kind = 'f'")).rows).toEqual([
      { rows: 0 },
    ]);
  });

  test("leave no row behind when they have ended", async () => {
    await take("g");
    fixture.clock.advance(2 * daySeconds);
    await windows.removeExpired(fixture.db);
    expect((await fixture.db.raw("select count(*)::integer as rows from ip_windows")).rows).toEqual([{ rows: 0 }]);
  });
});

describe("bans of network addresses", () => {
  test("hold until they end, over midnight too", async () => {
    expect(await bans.bannedUntil(fixture.db, "192.0.2.20")).toBeNull();
    const until = fixture.clock.nowSeconds() + daySeconds;
    await bans.ban(fixture.db, "192.0.2.20", daySeconds);
    fixture.clock.advance(daySeconds - 60);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.20")).toBeGreaterThanOrEqual(until);
    expect(await bans.bannedUntil(fixture.db, "192.0.2.21")).toBeNull();
    fixture.clock.advance(120);
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
    expect((await fixture.db.raw("select count(*)::integer as rows from ip_bans")).rows).toEqual([{ rows: 0 }]);
  });
});
