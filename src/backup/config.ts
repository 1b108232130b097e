import { duration, integer, list, optionalText, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, gibibyte, kibibyte, mebibyte, minuteSeconds } from "../protocol/units.js";

const ageRecipient = /^age1[a-z0-9]{20,4096}$/;

/** Backups that the relay makes on a schedule. */
export const backupSettings = {
  backupDir: optionalText("Folder for automatic backups; without it, none are made", "path"),
  backupEvery: duration("Interval between automatic backups", "1d", { min: 5 * minuteSeconds, max: 30 * daySeconds }),
  backupKeep: integer("Backups kept in BACKUP_DIR; older ones are removed", { default: 7, min: 1, max: 10_000 }),
  backupAgeRecipients: list("Keys (age1…) that backups are encrypted to", "list of age recipients", (item) => {
    if (!ageRecipient.test(item)) throw new Error("must be a list of age recipients, like age1…");
  }),
  backupBytesPerSecond: integer("Maximum bytes per second that a backup reads from the database", {
    default: 20 * mebibyte,
    min: 64 * kibibyte,
    max: 100 * gibibyte,
  }),
};

export type BackupSettings = ValuesOf<typeof backupSettings>;
