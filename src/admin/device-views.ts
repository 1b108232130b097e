import type { Database, Db } from "../database/db.js";
import { type Device, type DeviceFilter, type DevicesService, requireDevice } from "../devices/service.js";
import type { ModerationService, SpamStatus } from "../moderation/service.js";
import type { Clock } from "../node/clock.js";
import { parseAddress } from "../protocol/address.js";
import { RelayError } from "../protocol/errors.js";
import { hasCustomLimit } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import { type DeviceActivity, readActivity } from "./read-model.js";
import { type TrustState, trustStateOf } from "./trust.js";

/** The messages that a device has exchanged with other servers. */
export interface DeviceFederation {
  /** Domains that it has recently sent to. */
  domains: readonly string[];
  sent: number;
  received: number;
}

/** Everything that the server knows about a device. */
export interface DeviceView {
  device: Device;
  trustState: TrustState;
  activity: DeviceActivity;
  federation: DeviceFederation;
  /** The spam reports about it, counted and scored. */
  spam: SpamStatus;
  /** Messages per window; null if limits are switched off. */
  currentLimit: number | null;
  /** The messages sent in the open window, and when it ends; null if no window is open. */
  window: { sent: number; resetAt: number } | null;
  /** The custom limit while it is in force. */
  customLimit: { limit: number; expiresAt: number | null } | null;
}

type DeviceListQuery = Omit<DeviceFilter, "now">;

/** A device in a list, with its current trust state. */
export interface ListedDevice {
  device: Device;
  trustState: TrustState;
}

/** Devices as administrators see them. */
export type DeviceViews = ReturnType<typeof createDeviceViews>;

export interface DeviceViewsDeps {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "resolve" | "list" | "holderOf">;
  domain: string;
  config: { readonly federationAllowPrivate: boolean };
  moderation: Pick<ModerationService, "spamStatusOf">;
  /** Reads the messages that a device has exchanged with other servers. */
  federationOf(db: Db, deviceId: string): Promise<DeviceFederation>;
}

export function createDeviceViews(deps: DeviceViewsDeps) {
  const { db, clock, settings, devices, moderation } = deps;

  const listed = (device: Device): ListedDevice => {
    const at = { now: clock.nowSeconds(), settings: settings.current() };
    return { device, trustState: trustStateOf(device, at) };
  };

  return {
    /** Devices in the order of the query. */
    async list(query: DeviceListQuery): Promise<ListedDevice[]> {
      return (await devices.list(db, { ...query, now: clock.nowSeconds() })).map(listed);
    },
    /** The device that holds an address; undefined if none does. Throws INVALID_ADDRESS. */
    async atAddress(text: string): Promise<ListedDevice | undefined> {
      const rules = { ownDomain: deps.domain, privateAllowed: deps.config.federationAllowPrivate };
      const address = parseAddress(text, rules);
      if (address === undefined) throw new RelayError("INVALID_ADDRESS", "not an address");
      const device = address.domain === deps.domain ? await devices.holderOf(db, address.prefix) : undefined;
      return device && listed(device);
    },
    /** Everything about one device. Throws DEVICE_NOT_FOUND. */
    async detail(spelled: string): Promise<DeviceView> {
      const device = requireDevice(await devices.resolve(db, spelled));
      const [activity, federation, [spam]] = await Promise.all([
        readActivity(db, device.deviceId),
        deps.federationOf(db, device.deviceId),
        moderation.spamStatusOf(db, [device.deviceId]),
      ]);
      const at = { now: clock.nowSeconds(), settings: settings.current() };
      const trustState = trustStateOf(device, at);
      const { rate_limiting } = at.settings;
      const limited = rate_limiting.enabled || trustState.tier === "blocked";
      return {
        device,
        activity,
        federation,
        trustState,
        spam: spam as SpamStatus,
        currentLimit: limited ? trustState.limit : null,
        window: openWindow(activity, { now: at.now, windowSeconds: rate_limiting.window_seconds }),
        customLimit: activeCustomLimit(device, at.now),
      };
    },
  };
}

function openWindow(
  { windowStartedAt, windowCount }: DeviceActivity,
  { now, windowSeconds }: { now: number; windowSeconds: number },
): DeviceView["window"] {
  const end = windowStartedAt + windowSeconds;
  return now < end ? { sent: windowCount, resetAt: end } : null;
}

function activeCustomLimit(device: Device, now: number): DeviceView["customLimit"] {
  const { customLimit, customLimitExpiresAt } = device;
  if (customLimit === null || !hasCustomLimit({ customLimit, customLimitExpiresAt, now })) return null;
  return { limit: customLimit, expiresAt: customLimitExpiresAt };
}
