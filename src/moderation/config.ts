import { choice, constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds } from "../protocol/units.js";

/** Spam reports. */
export const spamSettings = {
  spamReportsPerHour: integer("Devices reported per device and hour", { default: 10, min: 1, max: 100_000 }),
  spamReportsPerDay: integer("Devices reported per device and day", { default: 50, min: 1, max: 1_000_000 }),
  spamWarningReports: integer("Reporters at which a device is flagged", { default: 3, min: 1, max: 100_000 }),
  spamBanSeconds: integer("Length of the ban when the score exceeds its threshold", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
};

export const spamConstants = {
  spamReportsOfOneDevicePerDay: constant("Messages of one device that another may report per day", 100),
  spamReporterMinTier: choice(
    "Lowest trust tier whose reports can block",
    ["new", "established", "trusted", "verified"],
    "established",
  ),
  spamReportersOfOnePeer: constant("Reporters of one other relay that count for one device", 3),
  spamReportersOfOwn: constant("Reporters of this relay itself without whom no device is blocked or banned", 2),
  spamScoreWindowSeconds: constant("Time over which reports count towards the spam score", 7 * daySeconds),
  spamScoreEstablished: constant("Score of a report by an Established device", 0.5),
  spamScoreTrusted: constant("Score of a report by a Trusted or Verified device", 1),
};

export type ModerationSettings = ValuesOf<typeof spamSettings & typeof spamConstants>;
