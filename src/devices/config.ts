import { integer, type ValuesOf } from "../platform/config/setting.js";

/** Announcements of devices. */
export const deviceSettings = {
  newAddressesPerDay: integer("New addresses per device and day", { default: 5, min: 1, max: 100_000 }),
  announcementsPerHour: integer("Announcements per device and hour", { default: 3, min: 1, max: 100_000 }),
};

export type DeviceSettings = ValuesOf<typeof deviceSettings>;
