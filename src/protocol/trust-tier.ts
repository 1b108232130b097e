import { hourSeconds } from "./units.js";

// Progressive trust: how many messages a device may send in a window. All times in Unix seconds.

export type TrustTier = "new" | "established" | "trusted" | "verified" | "blocked";

/** The part of the server's settings that trust depends on, spelled as in the configuration tree. */
export interface TrustSettings {
  progressive_trust: {
    enabled: boolean;
    new_tier_duration_hours: number;
    established_tier_duration_hours: number;
    new_tier_limit: number;
    established_tier_limit: number;
    trusted_tier_limit: number;
  };
}

/** What is known about a device's trust; null means never. */
export interface Standing {
  registeredAt: number;
  verified: boolean;
  blockedAt: number | null;
  bannedUntil: number | null;
}

/** A limit that an administrator set for one device, with the time at which it ends (null: never). */
interface CustomLimit {
  customLimit: number | null;
  customLimitExpiresAt: number | null;
}

/**
 * The tier of a device. Blocked or banned comes before verified, verified before age. With progressive trust switched
 * off nobody is new: everyone else is trusted. Both durations are ages since registration.
 */
export function trustTier(device: Standing & { now: number; settings: TrustSettings }): TrustTier {
  const { now } = device;
  const { progressive_trust: trust } = device.settings;
  if (isBarred(device)) return "blocked";
  if (device.verified) return "verified";
  if (!trust.enabled) return "trusted";
  const { newAfter, establishedAfter } = tierBounds(now, trust);
  if (device.registeredAt > newAfter) return "new";
  return device.registeredAt > establishedAfter ? "established" : "trusted";
}

/**
 * If trust depends on age: devices registered after `newAfter` are New, and other devices registered after
 * `establishedAfter` are Established.
 */
export function tierBounds(
  now: number,
  trust: TrustSettings["progressive_trust"],
): { newAfter: number; establishedAfter: number } {
  return {
    newAfter: now - trust.new_tier_duration_hours * hourSeconds,
    establishedAfter: now - trust.established_tier_duration_hours * hourSeconds,
  };
}

/** The tier that a device reaches next with time, and when; null if nothing changes with time. */
export function nextTier(
  device: Standing & { now: number; settings: TrustSettings },
): { tier: TrustTier; at: number } | null {
  const { registeredAt, bannedUntil, now, settings } = device;
  const { new_tier_duration_hours: newHours, established_tier_duration_hours: establishedHours } =
    settings.progressive_trust;
  const current = trustTier(device);
  const changes = [
    bannedUntil ?? 0,
    registeredAt + newHours * hourSeconds,
    registeredAt + establishedHours * hourSeconds,
  ];
  for (const at of changes.filter((time) => time > now).sort((a, b) => a - b)) {
    const tier = trustTier({ ...device, now: at });
    if (tier !== current) return { tier, at };
  }
  return null;
}

/** Whether a device is in the New tier, whose limits are lower. */
export function isNewDevice(device: Standing, when: { now: number; settings: TrustSettings }): boolean {
  return trustTier({ ...device, ...when }) === "new";
}

/** Messages per window of a tier. Verified devices have the trusted tier's limit, from their first day on. */
export function tierLimit(tier: TrustTier, settings: TrustSettings): number {
  const { progressive_trust: trust } = settings;
  if (tier === "blocked") return 0;
  if (tier === "new") return trust.new_tier_limit;
  return tier === "established" ? trust.established_tier_limit : trust.trusted_tier_limit;
}

/** Whether a custom limit is set and has not ended. */
export function hasCustomLimit(device: CustomLimit & { now: number }): boolean {
  return (
    device.customLimit !== null && (device.customLimitExpiresAt === null || device.now < device.customLimitExpiresAt)
  );
}

/**
 * Messages that a device may send per window before carry-over; null is no limit. Precedence: blocked or banned (0,
 * whatever is switched off), rate limiting switched off (null), a custom limit in force, verified, the tier by age.
 */
export function messageLimit(
  device: Standing & CustomLimit & { now: number; settings: TrustSettings & { rate_limiting: { enabled: boolean } } },
): number | null {
  const tier = trustTier(device);
  if (tier === "blocked") return 0;
  if (!device.settings.rate_limiting.enabled) return null;
  return hasCustomLimit(device) && device.customLimit !== null ? device.customLimit : tierLimit(tier, device.settings);
}

/** Whether a device is blocked, or banned at this time. */
export function isBarred(device: Pick<Standing, "blockedAt" | "bannedUntil"> & { now: number }): boolean {
  return device.blockedAt !== null || (device.bannedUntil !== null && device.now < device.bannedUntil);
}

/** When a barred device may send again: the ban's end, or null for a block, which has no end. */
export function barredUntil(device: Pick<Standing, "blockedAt" | "bannedUntil">): number | null {
  return device.blockedAt !== null ? null : device.bannedUntil;
}
