import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { countAddresses, upsertAddresses } from "./address-store.js";
import type { AnnouncedPrefix } from "./device.js";
import { type AnnouncementCounters, lockAnnouncementCounters, updateAnnouncementCounters } from "./store.js";

/** An announcement whose signature has been verified. */
export interface Announcement {
  deviceId: string;
  prefixes: readonly AnnouncedPrefix[];
  /** The most active addresses that the device may have in the flow that it used. */
  maxActive: number;
  now: number;
  /** When the addresses expire unless they are renewed. */
  expiresAt: number;
  serverUrl: string;
}

export type AnnouncingConfig = Pick<Config, "newAddressesPerDay" | "announcementsPerHour">;

/**
 * Takes all prefixes of an announcement or throws and takes none. The caller runs it in a transaction. Locking the
 * device's row first makes the announcements of one device run one after the other, so that each counts the others.
 *
 * The checks run in this order: active addresses (ADDRESS_LIMIT), new addresses a day and announcements an hour
 * (RATE_LIMIT_EXCEEDED), other owners of the prefixes (ADDRESS_TAKEN). A prefix that the device holds, expired or not, is
 * renewed and does not count as new. ADDRESS_LIMIT applies only if the device would get more active addresses, so a
 * device that has too many can still renew them.
 *
 * Returns false if the device has been removed in the meantime.
 */
export async function takeAddresses(db: Db, announcement: Announcement, config: AnnouncingConfig): Promise<boolean> {
  const { deviceId, now } = announcement;
  const before = await lockAnnouncementCounters(db, deviceId);
  if (before === undefined) return false;
  const prefixes = announcement.prefixes.map((announced) => announced.prefix);
  const { held, active, otherActive } = await countAddresses(db, { deviceId, prefixes, now });
  if (active < prefixes.length && otherActive + prefixes.length > announcement.maxActive) {
    throw new RelayError("ADDRESS_LIMIT", `a device may have ${announcement.maxActive} active addresses`);
  }
  const after = count(before, { newAddresses: prefixes.length - held, now, config });
  await updateAnnouncementCounters(db, deviceId, { ...after, now });
  if ((await upsertAddresses(db, announcement)) < prefixes.length) {
    throw new RelayError("ADDRESS_TAKEN", "a prefix belongs to another device");
  }
  return true;
}

/** Adds this announcement to the counters. Throws RATE_LIMIT_EXCEEDED if a window is full. */
function count(
  before: AnnouncementCounters,
  announced: { newAddresses: number; now: number; config: AnnouncingConfig },
): AnnouncementCounters {
  const { now, config } = announced;
  const addresses = countIn(
    { since: before.newAddressesSince, count: before.newAddresses },
    {
      add: announced.newAddresses,
      now,
      seconds: daySeconds,
      limit: config.newAddressesPerDay,
      counted: "new addresses",
    },
  );
  const announcements = countIn(
    { since: before.announcementsSince, count: before.announcements },
    { add: 1, now, seconds: hourSeconds, limit: config.announcementsPerHour, counted: "announcements" },
  );
  return {
    newAddressesSince: addresses.since,
    newAddresses: addresses.count,
    announcementsSince: announcements.since,
    announcements: announcements.count,
  };
}

interface Window {
  since: number;
  count: number;
}

/** Counts in a fixed window, which begins with its first event. Throws RATE_LIMIT_EXCEEDED beyond the limit. */
function countIn(
  window: Window,
  step: { add: number; now: number; seconds: number; limit: number; counted: string },
): Window {
  if (step.add === 0) return window;
  const ended = step.now >= window.since + step.seconds;
  const current = ended ? { since: step.now, count: 0 } : window;
  if (current.count + step.add <= step.limit) return { since: current.since, count: current.count + step.add };
  const resetAt = current.since + step.seconds;
  throw rateLimitExceeded(`too many ${step.counted} of this device`, { limit: step.limit, resetAt, now: step.now });
}
