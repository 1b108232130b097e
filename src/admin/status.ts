import type { Device } from "../devices/service.js";
import { customLimitStands, tierLimit, trustTier } from "../protocol/trust-tier.js";
import type { ServerSettings } from "../settings/service.js";

type Known = Pick<
  Device,
  "registeredAt" | "verified" | "blockedAt" | "bannedUntil" | "customLimit" | "customLimitExpiresAt"
>;

/** Where a device stands at a moment. */
export interface Standing {
  tier: ReturnType<typeof trustTier>;
  /** The limit of the device's own while it holds, else the tier's; 0 while blocked or banned. */
  limit: number;
  ageHours: number;
}

const tenthsPerSecond = 10 / 3600;

/** A device's tier, limit and age in hours (to a tenth). The limit is told even while limits are switched off. */
export function standingOf(device: Known, { now, settings }: { now: number; settings: ServerSettings }): Standing {
  const tier = trustTier({ ...device, now, settings });
  const own = tier !== "blocked" && customLimitStands({ ...device, now }) ? device.customLimit : null;
  return {
    tier,
    limit: own ?? tierLimit(tier, settings),
    ageHours: Math.floor(Math.max(0, now - device.registeredAt) * tenthsPerSecond) / 10,
  };
}
