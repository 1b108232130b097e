import type { Device } from "../devices/service.js";
import type { AdmittedOrigin } from "../federation/model/types.js";
import { RelayError } from "../protocol/errors.js";
import { type LimitObserver, rateLimitExceeded } from "../protocol/rate-limit.js";
import { refuseBarred, trustTier } from "../protocol/trust-tier.js";
import { hourSeconds, minuteSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { ServerSettings } from "../settings/service.js";
import type { SlotSettings } from "./config.js";

interface DeviceContext {
  device: Device;
  now: number;
  /** How long content is kept. */
  retentionSeconds: number;
  settings: ServerSettings;
  config: SlotSettings;
}

const slotsLimitName = "slots_hour";
const storageLimitName = "slot_storage";
const peerStorageLimitName = "federation_slot_storage";

/** A share of the space that is used up is refused like the space itself. */
export function limitError(
  { name, message, limit, resetAt }: LimitRequest & { resetAt: number | null },
  now: number,
): RelayError {
  if (name === storageLimitName || name === peerStorageLimitName) return new RelayError("QUEUE_FULL", message);
  return rateLimitExceeded(message, { limit, resetAt, now });
}

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned: it may not send either. */
export function refuseBarredTaking(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not take commit slots at the moment";
  refuseBarred(device, { now, name: slotsLimitName, message }, observer);
}

export function isNewDevice(device: Device, when: { now: number; settings: ServerSettings }): boolean {
  return trustTier({ ...device, ...when }) === "new";
}

/**
 * How many slots, and how many bytes of content, a device may write in an hour, and how much of the space it may fill. `bytes` is what
 * this request writes.
 */
export function takeLimits(
  bytes: number,
  { device, now, retentionSeconds, settings, config }: DeviceContext,
): LimitRequest[] {
  const isNew = isNewDevice(device, { now, settings });
  const shared = { subject: { ids: [device.deviceId] }, windowSeconds: hourSeconds };
  return [
    {
      ...shared,
      name: slotsLimitName,
      limit: isNew ? config.newTierSlotsPerHour : config.slotsPerHour,
      message: "too many commit slots in an hour",
    },
    {
      ...shared,
      name: "slot_bytes_hour",
      limit: isNew ? config.newTierSlotBytesPerHour : config.slotBytesPerHour,
      message: "too many bytes of commit slots in an hour",
      cost: bytes,
    },
    {
      ...shared,
      name: storageLimitName,
      limit: shareOf(isNew ? config.newTierSlotStorageShare : config.slotStorageDeviceShare, config),
      windowSeconds: retentionSeconds,
      message: "this device's share of the space for commit slots is used up",
      cost: bytes,
    },
  ];
}

/** How much of the space for slots the relays of a registrable domain may fill. */
export function originStorageLimit(
  { registrable }: AdmittedOrigin,
  { bytes, retentionSeconds, config }: { bytes: number; retentionSeconds: number; config: SlotSettings },
): LimitRequest {
  return {
    name: peerStorageLimitName,
    subject: { ids: [registrable] },
    limit: shareOf(config.slotStorageOnePeerShare, config),
    windowSeconds: retentionSeconds,
    message: "your relay's share of the space for commit slots is used up",
    cost: bytes,
  };
}

/**
 * A share of the space, in bytes. It is counted for as long as content is kept, in windows under keyed hashes, so that no row says
 * whose content a slot has.
 */
function shareOf(share: number, { slotStorageBytes }: SlotSettings): number {
  return Math.floor(slotStorageBytes * share);
}

/** How many slots of other relays, and how many bytes for them, a device may ask for in an hour, repetitions included. */
export function peerTakeLimits(bytes: number, { device, now, settings, config }: DeviceContext): LimitRequest[] {
  const isNew = isNewDevice(device, { now, settings });
  const shared = { subject: { ids: [device.deviceId] }, windowSeconds: hourSeconds };
  return [
    {
      ...shared,
      name: "peer_slots_hour",
      limit: isNew ? config.newTierPeerSlotsPerHour : config.peerSlotsPerHour,
      message: "too many requests for commit slots of other relays in an hour",
    },
    {
      ...shared,
      name: "peer_slot_bytes_hour",
      limit: isNew ? config.newTierPeerSlotBytesPerHour : config.peerSlotBytesPerHour,
      message: "too many bytes for commit slots of other relays in an hour",
      cost: bytes,
    },
  ];
}

/** How many slots of other relays a device, and a network address, may read in a minute: each is a call to a peer. */
export function peerReadLimits(
  { ip, deviceId, slots }: { ip: string; deviceId: string; slots: number },
  config: SlotSettings,
): LimitRequest[] {
  const shared = {
    name: "peer_slot_reads_minute",
    windowSeconds: minuteSeconds,
    cost: slots,
    limit: config.peerSlotReadsPerIpMinute,
  };
  return [
    {
      ...shared,
      subject: { ids: [deviceId] },
      message: "too many readings of commit slots of other relays in a minute",
    },
    {
      ...shared,
      subject: { ip },
      message: "too many readings of commit slots of other relays from this network address in a minute",
    },
  ];
}

/**
 * All devices of this relay share what another one allows it, which is presumed to be what this one allows others. Half of
 * that is open to every device; when it is used up, each device has a little more, so that few devices cannot take all. New
 * devices, which are quickly made, have a quarter together then, so that they leave the last quarter to the others.
 */
export function peerShare(
  kind: "readings" | "takings",
  { domain, deviceId, slots }: { domain: string; deviceId: string; slots: number },
  config: SlotSettings,
): { open: LimitRequest; reserved: LimitRequest; ofNewDevices: LimitRequest } {
  const isReading = kind === "readings";
  const allowed = isReading ? config.federationSlotReadsPerMinute : config.federationSlotsPerMinute;
  const name = isReading ? "peer_slot_reads_of_domain" : "peer_slots_of_domain";
  const message = `too many ${kind} of commit slots of this relay in a minute`;
  const shared = { windowSeconds: minuteSeconds, message, cost: slots };
  return {
    open: { ...shared, name, subject: { ids: [domain] }, limit: Math.ceil(allowed / 2) },
    reserved: { ...shared, name, subject: { ids: [domain, deviceId] }, limit: config.peerSlotReserved },
    ofNewDevices: { ...shared, name, subject: { ids: [domain, "new"] }, limit: Math.ceil(allowed / 4) },
  };
}

/** How many slots the relays of a registrable domain may take, and how many bytes they may write. */
export function originTakeLimits(
  { registrable, divisor }: AdmittedOrigin,
  { bytes, config }: { bytes: number; config: SlotSettings },
): LimitRequest[] {
  const subject = { ids: [registrable] };
  return [
    {
      name: "federation_slots",
      subject,
      windowSeconds: minuteSeconds,
      limit: Math.floor(config.federationSlotsPerMinute / divisor),
      message: "too many commit slots of your relay in a minute",
    },
    {
      name: "federation_slot_bytes",
      subject,
      windowSeconds: hourSeconds,
      limit: Math.floor(config.federationSlotBytesPerHour / divisor),
      message: "too many bytes of commit slots of your relay in an hour",
      cost: bytes,
    },
  ];
}

/** How many slots the relays of a registrable domain may read. */
export function originReadLimits({ registrable, divisor }: AdmittedOrigin, config: SlotSettings): LimitRequest[] {
  return [
    {
      name: "federation_slot_reads",
      subject: { ids: [registrable] },
      windowSeconds: minuteSeconds,
      limit: Math.floor(config.federationSlotReadsPerMinute / divisor),
      message: "too many readings of commit slots by your relay in a minute",
    },
  ];
}

/** How many slots a network address may read in an hour. */
export function readLimit({ ip, slots }: { ip: string; slots: number }, config: SlotSettings): LimitRequest {
  return {
    name: "slot_reads_hour",
    subject: { ip },
    cost: slots,
    windowSeconds: hourSeconds,
    limit: config.slotReadsPerIpHour,
    message: "too many readings of commit slots from this network address in an hour",
  };
}
