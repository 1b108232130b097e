import type { Device } from "../devices/service.js";
import { keyedHash } from "../platform/auth/keyed-hash.js";
import type { Secrets } from "../platform/auth/secrets.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { barredUntil, isBarred, trustTier } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countInWindow, readWindowEnd } from "./store.js";

export type FetchLimitConfig = Pick<
  Config,
  | "keyPackageFetchesPerTargetHour"
  | "keyPackageFetchesPerHour"
  | "newTierFetchesPerTargetHour"
  | "newTierFetchesPerHour"
>;

/** Limits the packages that a device may fetch in an hour, from one device and in total. The counters are shared by all nodes. */
export interface FetchLimits {
  /** Loads the key of the hashes, so that no transaction has to wait for a second connection to read it. */
  prepare(): Promise<void>;
  /** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned. */
  refuseBarred(device: Device, now: number): void;
  /** Counts a fetch in the caller's transaction, so a failed fetch is not counted. Throws RATE_LIMIT_EXCEEDED. */
  count(db: Db, fetch: { device: Device; targetId: string; now: number }): Promise<void>;
}

const secretName = "key-package-windows";

export function createFetchLimits(deps: {
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  config: FetchLimitConfig;
}): FetchLimits {
  const { secrets, settings, config } = deps;

  const take = async (db: Db, window: { parts: string[]; limit: number; now: number }): Promise<void> => {
    const { limit, now } = window;
    const key = keyedHash(await secrets.get(secretName), ...window.parts);
    if (await countInWindow(db, { key, now, expiresAt: now + hourSeconds, limit })) return;
    const resetAt = (await readWindowEnd(db, key)) ?? now + hourSeconds;
    const message =
      window.parts.length === 1 ? "too many key packages in an hour" : "too many key packages of one device in an hour";
    throw rateLimitExceeded(message, { limit, resetAt, now });
  };

  return {
    async prepare() {
      await secrets.get(secretName);
    },
    refuseBarred(device, now) {
      if (!isBarred({ ...device, now })) return;
      const message = "this device may not fetch key packages at the moment";
      throw rateLimitExceeded(message, { limit: 0, resetAt: barredUntil(device), now });
    },
    async count(db, { device, targetId, now }) {
      const isNew = trustTier({ ...device, now, settings: settings.current() }) === "new";
      const limitInTotal = isNew ? config.newTierFetchesPerHour : config.keyPackageFetchesPerHour;
      const limitPerTarget = isNew ? config.newTierFetchesPerTargetHour : config.keyPackageFetchesPerTargetHour;
      await take(db, { parts: [device.deviceId], limit: limitInTotal, now });
      await take(db, { parts: [device.deviceId, targetId], limit: limitPerTarget, now });
    },
  };
}
