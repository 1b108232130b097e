import type { Device } from "../devices/service.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { refuseBarred, trustTier } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { ServerSettings } from "../settings/service.js";
import type { SlotSettings } from "./config.js";

export type SlotLimitConfig = Pick<
  SlotSettings,
  "slotsPerHour" | "newTierSlotsPerHour" | "slotBytesPerHour" | "newTierSlotBytesPerHour" | "slotReadsPerIpHour"
>;

const slotsLimitName = "slots_hour";

/** Throws RATE_LIMIT_EXCEEDED with limit 0 for a device that is blocked or banned: it may not send either. */
export function refuseBarredTaking(device: Device, now: number, observer?: LimitObserver): void {
  const message = "this device may not take commit slots at the moment";
  refuseBarred(device, { now, name: slotsLimitName, message }, observer);
}

/** How many slots, and how many bytes of content, a device may write in an hour. `bytes` is what this request writes. */
export function takeLimits(
  bytes: number,
  { device, now, settings, config }: { device: Device; now: number; settings: ServerSettings; config: SlotLimitConfig },
): LimitRequest[] {
  const isNew = trustTier({ ...device, now, settings }) === "new";
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
  ];
}

/** How many slots a network address may read in an hour. */
export function readLimit(ip: string, config: SlotLimitConfig): LimitRequest {
  return {
    name: "slot_reads_hour",
    subject: { ip },
    windowSeconds: hourSeconds,
    limit: config.slotReadsPerIpHour,
    message: "too many readings of commit slots from this network address in an hour",
  };
}
