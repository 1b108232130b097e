import type { DeviceId, Prefix, PrefixSpelling } from "../protocol/identifiers.js";

/** A device as it is stored. Times are Unix seconds; null means never, or no custom limit. */
export interface Device {
  deviceId: DeviceId;
  publicKey: Uint8Array;
  registeredAt: number;
  /** Up to an hour older than the latest activity. */
  lastActive: number;
  verified: boolean;
  verifiedAt: number | null;
  verifiedBy: string | null;
  blockedAt: number | null;
  bannedUntil: number | null;
  customLimit: number | null;
  customLimitSetAt: number | null;
  customLimitSetBy: string | null;
  customLimitExpiresAt: number | null;
  spamReports: number;
  spamReportsByDevice: number;
  maxRetentionDays: number | null;
  offlineMessageLimit: number | null;
  hidePresence: boolean;
}

/** How a device wants its queue kept. The limits of the server apply where they are smaller. */
export interface StoragePreferences {
  maxRetentionDays: number | null;
  offlineMessageLimit: number | null;
  hidePresence: boolean;
}

/** An address prefix that a device announces, and the spelling in which it was written. */
export interface AnnouncedPrefix {
  prefix: Prefix;
  spelling: PrefixSpelling;
}

/** An address of a device that has not expired. Times are Unix seconds. */
export interface ActiveAddress extends AnnouncedPrefix {
  /** When the device announced it first. */
  createdAt: number;
  /** When the device announced it last. */
  announcedAt: number;
  expiresAt: number;
}

/** A limit on one device that an administrator sets. `limit` null removes it. */
export interface CustomLimitChange {
  limit: number | null;
  setAt: number;
  setBy: string;
  expiresAt: number | null;
}
