import { invalidToken } from "../auth/tokens.js";
import type { Database } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { LimitState } from "../protocol/rate-limit.js";
import { nextTier, type Standing, type TrustTier, trustTier } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import type { LimitRequest } from "./limit-request.js";
import type { RateLimiter } from "./rate-limiter.js";

/** How much a device may still do. Times are Unix seconds. */
interface DeviceLimits {
  tier: TrustTier;
  /** The tier that it reaches next as it ages; null if there is none. */
  next: { tier: TrustTier; at: number } | null;
  states: LimitState[];
  now: number;
}

/** The limits of a device, over all modules. */
export type LimitsService = ReturnType<typeof createLimitsService>;

export function createLimitsService<Device extends Standing & { deviceId: string }>(deps: {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  rateLimiter: Pick<RateLimiter, "read">;
  devices: { find(db: Database, deviceId: string): Promise<Device | undefined> };
  messages: { remainingSends(deviceId: string): Promise<LimitState[]> };
  moderation: { reportingLimits(deviceId: string): Promise<LimitState[]> };
  /** The modules with limits of devices that the rate limiter counts. */
  sources: readonly { limitsOf(device: Device): LimitRequest[] }[];
}) {
  const { db, clock, settings, rateLimiter, devices, messages, moderation, sources } = deps;
  return {
    /** Reads the limits of a device and counts nothing. Throws INVALID_TOKEN if it is no longer registered. */
    async limitsOf(deviceId: string): Promise<DeviceLimits> {
      const device = await devices.find(db, deviceId);
      if (device === undefined) throw invalidToken("the device is no longer registered here");
      const requests = sources.flatMap((source) => source.limitsOf(device));
      const states = [
        ...(await messages.remainingSends(deviceId)),
        ...(await rateLimiter.read(db, requests)),
        ...(await moderation.reportingLimits(deviceId)),
      ];
      const now = clock.nowSeconds();
      const trust = { ...device, now, settings: settings.current() };
      return { tier: trustTier(trust), next: nextTier(trust), states, now };
    },
  };
}
