import type { Knex } from "knex";
import type { Device, DevicesService } from "../devices/service.js";
import type { ModerationService, SpamStanding } from "../moderation/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Db } from "../platform/database/connection.js";
import { RelayError } from "../protocol/errors.js";
import { customLimitStands } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countCandidates, type DeviceActivity, type PendingDevice, readActivity, readPending } from "./read-model.js";
import { type Standing, standingOf } from "./status.js";

/** What a device has exchanged with other servers. */
export interface DeviceFederation {
  /** Domains that it has lately written to. */
  domains: readonly string[];
  sent: number;
  received: number;
}

/** Everything that is known of a device. */
export interface DeviceView {
  device: Device;
  standing: Standing;
  activity: DeviceActivity;
  federation: DeviceFederation;
  /** What the reports about it come to. */
  spam: SpamStanding;
  /** Messages per window; null where limits are switched off. */
  currentLimit: number | null;
  /** What was sent in the window that is open, and when it ends; null where none is open. */
  window: { sent: number; resetAt: number } | null;
  /** The device's own limit while it holds. */
  customLimit: { limit: number; expiresAt: number | null } | null;
}

export interface PendingQuery {
  minAgeHours: number;
  maxAgeHours: number;
  minMessages: number;
  maxSpamReports: number;
  limit: number;
}

export type SuggestedAction = "verify" | "monitor" | "block";

export interface PendingView {
  device: PendingDevice;
  standing: Standing;
  flagged: boolean;
  suggestedAction: SuggestedAction;
}

export interface PendingList {
  devices: PendingView[];
  /** Of all that match among those that were looked at. */
  total: number;
  /** Whether every device of that age was looked at. */
  complete: boolean;
}

/** Devices as administrators see them. */
export interface DeviceViews {
  /** Throws DEVICE_NOT_FOUND. */
  detail(spelled: string): Promise<DeviceView>;
  pending(query: PendingQuery): Promise<PendingList>;
}

export interface DeviceViewsDeps {
  db: Knex;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "resolve">;
  moderation: Pick<ModerationService, "standingsOf">;
  /** What a device has exchanged with other servers; nothing where this server has no peers. */
  federationOf?: (db: Db, deviceId: string) => Promise<DeviceFederation>;
}

const mostPendingSeen = 2_000;
const reportsToBlock = 3;

export function createDeviceViews(deps: DeviceViewsDeps): DeviceViews {
  const { db, clock, settings, devices, moderation } = deps;
  const federationOf = deps.federationOf ?? (async () => noFederation);

  return {
    async detail(spelled) {
      const device = await devices.resolve(db, spelled);
      if (device === undefined) throw new RelayError("DEVICE_NOT_FOUND", "the device is not registered here");
      const [activity, federation, [spam]] = await Promise.all([
        readActivity(db, device.deviceId),
        federationOf(db, device.deviceId),
        moderation.standingsOf(db, [device.deviceId]),
      ]);
      const at = { now: clock.nowSeconds(), settings: settings.current() };
      const standing = standingOf(device, at);
      const { rate_limiting } = at.settings;
      const limited = rate_limiting.enabled || standing.tier === "blocked";
      return {
        ...{ device, activity, federation, standing, spam: spam as SpamStanding },
        currentLimit: limited ? standing.limit : null,
        window: openWindow(activity, { now: at.now, windowSeconds: rate_limiting.window_seconds }),
        customLimit: ownLimit(device, at.now),
      };
    },
    async pending(query) {
      const now = clock.nowSeconds();
      const filter = {
        ...query,
        now,
        registeredFrom: now - query.maxAgeHours * hourSeconds,
        registeredUntil: now - query.minAgeHours * hourSeconds,
        mostSeen: mostPendingSeen,
      };
      const [{ devices: found, total }, candidates] = await Promise.all([
        readPending(db, filter),
        countCandidates(db, { ...filter, upTo: mostPendingSeen + 1 }),
      ]);
      const at = { now, settings: settings.current() };
      const ids = found.map(({ deviceId }) => deviceId);
      const spam = await moderation.standingsOf(db, ids);
      const views = found.map((device, i) => ({
        device,
        standing: standingOf(device, at),
        flagged: spam[i]?.flagged === true,
        suggestedAction: suggestion(device.spamReports),
      }));
      return { devices: views, total, complete: candidates <= mostPendingSeen };
    },
  };
}

const noFederation: DeviceFederation = { domains: [], sent: 0, received: 0 };

function openWindow(
  { windowStartedAt, windowCount }: DeviceActivity,
  { now, windowSeconds }: { now: number; windowSeconds: number },
): DeviceView["window"] {
  const end = windowStartedAt + windowSeconds;
  return now < end ? { sent: windowCount, resetAt: end } : null;
}

function ownLimit(device: Device, now: number): DeviceView["customLimit"] {
  const { customLimit, customLimitExpiresAt } = device;
  if (customLimit === null || !customLimitStands({ customLimit, customLimitExpiresAt, now })) return null;
  return { limit: customLimit, expiresAt: customLimitExpiresAt };
}

function suggestion(spamReports: number): SuggestedAction {
  if (spamReports >= reportsToBlock) return "block";
  return spamReports === 0 ? "verify" : "monitor";
}
