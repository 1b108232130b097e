import fc from "fast-check";
import { expect, test } from "vitest";
import { barredUntil, messageLimit, trustTier } from "../../src/protocol/trust-tier.js";

const hour = 3600;
const settings = {
  progressive_trust: {
    enabled: true,
    new_tier_duration_hours: 6,
    established_tier_duration_hours: 24,
    new_tier_limit: 10,
    established_tier_limit: 60,
    trusted_tier_limit: 300,
  },
  rate_limiting: { enabled: true },
};
const newcomer = {
  registeredAt: 1000,
  verified: false,
  blockedAt: null as number | null,
  bannedUntil: null as number | null,
  customLimit: null as number | null,
  customLimitExpiresAt: null as number | null,
  now: 1000,
  settings,
};
const open = { ...settings, rate_limiting: { enabled: false } };
const trusting = { ...settings, progressive_trust: { ...settings.progressive_trust, enabled: false } };

test.each([
  [0, "new", 10],
  [6 * hour - 1, "new", 10],
  [6 * hour, "established", 60],
  [24 * hour - 1, "established", 60],
  [24 * hour, "trusted", 300],
  [1000 * hour, "trusted", 300],
])("a device of %i s is %s and may send %i messages an hour", (age, tier, limit) => {
  const device = { ...newcomer, now: newcomer.registeredAt + age };
  expect([trustTier(device), messageLimit(device)]).toEqual([tier, limit]);
});

test("a verified device has the highest limit from its first second", () => {
  const device = { ...newcomer, verified: true };
  expect([trustTier(device), messageLimit(device)]).toEqual(["verified", 300]);
});

test("a custom limit comes before the tier and before a verification, until it ends", () => {
  const device = { ...newcomer, verified: true, customLimit: 7, customLimitExpiresAt: 1001 };
  expect(messageLimit(device)).toBe(7);
  expect(messageLimit({ ...device, now: 1001 })).toBe(300);
  expect(messageLimit({ ...device, now: 9_000_000, customLimitExpiresAt: null })).toBe(7);
  expect(messageLimit({ ...device, customLimit: 0 })).toBe(0);
});

test("a ban ends by itself, a block does not", () => {
  const banned = { ...newcomer, bannedUntil: 1001 };
  expect([trustTier(banned), messageLimit(banned), barredUntil(banned)]).toEqual(["blocked", 0, 1001]);
  expect(trustTier({ ...banned, now: 1001 })).toBe("new");
  const blocked = { ...banned, blockedAt: 900, now: 9_000_000 };
  expect([trustTier(blocked), messageLimit(blocked), barredUntil(blocked)]).toEqual(["blocked", 0, null]);
});

test("with progressive trust off every device is trusted at once, and custom limits still hold", () => {
  const device = { ...newcomer, settings: trusting };
  expect([trustTier(device), messageLimit(device)]).toEqual(["trusted", 300]);
  expect(messageLimit({ ...device, customLimit: 5 })).toBe(5);
});

test("with rate limiting off there is no limit, not even a custom one", () => {
  expect(messageLimit({ ...newcomer, settings: open, customLimit: 5 })).toBeNull();
});

test("a block holds whatever is switched on or off", () => {
  const switches = fc.record({ trust: fc.boolean(), limits: fc.boolean(), verified: fc.boolean(), custom: fc.nat() });
  fc.assert(
    fc.property(switches, ({ trust, limits, verified, custom }) => {
      const progressive = { ...settings.progressive_trust, enabled: trust };
      const chosen = { progressive_trust: progressive, rate_limiting: { enabled: limits } };
      const device = { ...newcomer, settings: chosen, verified, customLimit: custom, blockedAt: 1 };
      expect([trustTier(device), messageLimit(device)]).toEqual(["blocked", 0]);
    }),
  );
});
