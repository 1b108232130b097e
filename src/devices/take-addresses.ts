import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { readHoldings, upsertAddresses } from "./address-store.js";
import { type Allowances, lockAllowances, updateAllowances } from "./allowance-store.js";
import type { AnnouncedPrefix } from "./device.js";

/** An announcement whose signature has been verified. */
export interface Announcement {
  deviceId: string;
  prefixes: readonly AnnouncedPrefix[];
  /** Most active addresses in the flow that the device used. */
  maxActive: number;
  now: number;
  /** When the addresses expire unless they are renewed. */
  expiresAt: number;
  serverUrl: string;
}

export type AnnouncingConfig = Pick<Config, "newAddressesPerDay" | "announcementsPerHour">;

/**
 * Takes all prefixes of an announcement or, by throwing, none; the caller runs it in a transaction. The device's row
 * is locked first, so that announcements of one device follow one another and count each other. Checked in this order:
 * active addresses (ADDRESS_LIMIT), new addresses a day and announcements an hour (RATE_LIMIT_EXCEEDED), the prefixes'
 * owners (ADDRESS_TAKEN). A prefix that the device holds, expired or not, is renewed and is not new. The first limit is
 * asked where the device would have more active addresses than before: one that has too many can renew those it has.
 * Answers false if the device has been removed in the meantime.
 */
export async function takeAddresses(db: Db, announcement: Announcement, config: AnnouncingConfig): Promise<boolean> {
  const { deviceId, now } = announcement;
  const before = await lockAllowances(db, deviceId);
  if (before === undefined) return false;
  const prefixes = announcement.prefixes.map((announced) => announced.prefix);
  const { held, active, otherActive } = await readHoldings(db, { deviceId, prefixes, now });
  if (active < prefixes.length && otherActive + prefixes.length > announcement.maxActive) {
    throw new RelayError("ADDRESS_LIMIT", `a device may have ${announcement.maxActive} active addresses`);
  }
  const after = count(before, { newAddresses: prefixes.length - held, now, config });
  await updateAllowances(db, deviceId, { ...after, now });
  if ((await upsertAddresses(db, announcement)) < prefixes.length) {
    throw new RelayError("ADDRESS_TAKEN", "a prefix belongs to another device");
  }
  return true;
}

/** The counters with this announcement in them; throws when it does not fit. */
function count(
  before: Allowances,
  announced: { newAddresses: number; now: number; config: AnnouncingConfig },
): Allowances {
  const { now, config } = announced;
  const addresses = countIn(
    { since: before.newAddressesSince, count: before.newAddresses },
    { add: announced.newAddresses, now, seconds: daySeconds, limit: config.newAddressesPerDay, what: "new addresses" },
  );
  const announcements = countIn(
    { since: before.announcementsSince, count: before.announcements },
    { add: 1, now, seconds: hourSeconds, limit: config.announcementsPerHour, what: "announcements" },
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

/** A fixed window begins with the first thing counted in it. Throws RATE_LIMIT_EXCEEDED past the limit. */
function countIn(
  window: Window,
  step: { add: number; now: number; seconds: number; limit: number; what: string },
): Window {
  if (step.add === 0) return window;
  const ended = step.now >= window.since + step.seconds;
  const current = ended ? { since: step.now, count: 0 } : window;
  if (current.count + step.add <= step.limit) return { since: current.since, count: current.count + step.add };
  const resetAt = current.since + step.seconds;
  throw rateLimitExceeded(`too many ${step.what} of this device`, { limit: step.limit, resetAt, now: step.now });
}
