import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import { RelayError } from "../protocol/errors.js";
import type { AddressCounts } from "./address-store.js";
import type { DeviceSettings } from "./config.js";

export type AnnouncingConfig = Pick<DeviceSettings, "newAddressesPerDay" | "announcementsPerHour">;

/** Throws ADDRESS_LIMIT if the device would get more active addresses. If it has too many, it can still renew them. */
export function checkActiveAddresses(
  { active, otherActive }: AddressCounts,
  { announced, maxActive }: { announced: number; maxActive: number },
): void {
  if (active < announced && otherActive + announced > maxActive)
    throw new RelayError("ADDRESS_LIMIT", "too many active addresses for device");
}

/** The limits of a device's announcements: new addresses a day, and announcements an hour. */
export function announcementLimits(deviceId: string, added: number, config: AnnouncingConfig): LimitRequest[] {
  const subject = { ids: [deviceId] };
  return [
    limitRequest("new_addresses", { ...subject, cost: added }, config),
    limitRequest("announcements", subject, config),
  ];
}
