import { daySeconds, gibibyte, hourSeconds, kibibyte, mebibyte, minuteSeconds } from "../../protocol/units.js";
import { duration, integer, list, optionalInteger, optionalText } from "./setting.js";

const ageRecipient = /^age1[a-z0-9]{20,4096}$/;

/** Backups that the relay makes by itself. */
export const backupSettings = {
  backupDir: optionalText("Folder for automatic backups; without it, none are made", "path"),
  backupEvery: duration("Interval between automatic backups", "1d", { min: 5 * minuteSeconds, max: 30 * daySeconds }),
  backupKeep: integer("Backups kept in BACKUP_DIR; older ones are removed", { default: 7, min: 1, max: 10_000 }),
  backupAgeRecipients: list("Keys (age1…) that backups are encrypted to", "list of age recipients", (item) => {
    if (!ageRecipient.test(item)) throw new Error("must be a list of age recipients, like age1…");
  }),
  backupBytesPerSecond: integer("Most bytes per second that a backup reads from the database", {
    default: 20 * mebibyte,
    min: 64 * kibibyte,
    max: 100 * gibibyte,
  }),
  alertBackupSeconds: {
    ...optionalInteger("Alert when the last backup is older than this", { min: hourSeconds, max: 365 * daySeconds }),
    shownFallback: "twice BACKUP_EVERY where BACKUP_DIR is set, else off",
  },
};
