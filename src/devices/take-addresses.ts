import type { Db } from "../database/db.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import { countAddresses, upsertAddresses } from "./address-store.js";
import { type AnnouncingConfig, announcementLimits, checkActiveAddresses } from "./announcement-limits.js";
import type { AnnouncedPrefix } from "./device.js";
import { lockForAnnouncement } from "./store.js";

/** An announcement whose signature has been verified. */
interface Announcement {
  deviceId: string;
  prefixes: readonly AnnouncedPrefix[];
  /** Maximum number of active addresses that the device may have in the flow that it used. */
  maxActive: number;
  now: number;
  serverUrl: string;
  observer?: LimitObserver | undefined;
}

interface AnnouncingDeps {
  settings: Pick<SettingsService, "current">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: AnnouncingConfig;
}

/**
 * Takes all prefixes of an announcement or throws and takes none. The caller runs it in a transaction. Locking the
 * device's row first makes the announcements of one device run one after the other, so that each counts the others.
 *
 * The checks run in this order: active addresses (ADDRESS_LIMIT), new addresses a day and announcements an hour
 * (RATE_LIMIT_EXCEEDED), other owners of the prefixes (ADDRESS_TAKEN). A prefix that the device holds, expired or not, is
 * renewed and does not count as new.
 *
 * Returns false if the device has been removed in the meantime.
 */
export async function takeAddresses(db: Db, announcement: Announcement, deps: AnnouncingDeps): Promise<boolean> {
  const { deviceId, now } = announcement;
  if (!(await lockForAnnouncement(db, { deviceId, now }))) return false;
  const prefixes = announcement.prefixes.map((announced) => announced.prefix);
  const counts = await countAddresses(db, { deviceId, prefixes, now });
  checkActiveAddresses(counts, { announced: prefixes.length, maxActive: announcement.maxActive });
  const requests = announcementLimits(deviceId, prefixes.length - counts.held, deps.config);
  await deps.rateLimiter.count(db, requests, announcement.observer);
  const expiresAt = now + addressLifetimeSeconds(deps.settings.current());
  if ((await upsertAddresses(db, { ...announcement, expiresAt })) < prefixes.length) {
    throw new RelayError("ADDRESS_TAKEN", "a prefix belongs to another device");
  }
  return true;
}

/** How long an address lives after it was announced last. */
function addressLifetimeSeconds({ storage }: ServerSettings): number {
  return storage.announcement_retention_hours * hourSeconds;
}
