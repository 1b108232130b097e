import type { DeviceId, Prefix, PrefixSpelling } from "../protocol/identifiers.js";

/** What is kept of a device. Times are Unix seconds; null stands for never, or for no limit of its own. */
export interface Device {
  deviceId: DeviceId;
  publicKey: Uint8Array;
  registeredAt: number;
  /** Up to an hour behind what the device last did. */
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

/** What a device asks of its queue; the server's own limits hold where they are smaller. */
export interface StoragePreferences {
  maxRetentionDays: number | null;
  offlineMessageLimit: number | null;
  hidePresence: boolean;
}

/** An address prefix to take, and how it was written. */
export interface AnnouncedPrefix {
  prefix: Prefix;
  spelling: PrefixSpelling;
}

/** A limit on one device that an administrator sets. `limit` null removes it. */
export interface CustomLimitChange {
  limit: number | null;
  setAt: number;
  setBy: string;
  expiresAt: number | null;
}
