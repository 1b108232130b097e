import { daySeconds } from "../../protocol/units.js";
import { choice, decimal, integer, optionalText } from "./setting.js";

/** Administration. */
export const adminSettings = {
  adminList: optionalText("First admins, as <public key hex>=<permission>+<permission>, separated by commas", "list"),
  adminListFile: optionalText('The same as a JSON file: [{"public_key": "…", "permissions": ["…"]}]', "path"),
};

export const adminConstants = {
  adminChallengeLifetimeSeconds: integer("Lifetime of an admin challenge", { default: 300, min: 1, max: daySeconds }),
  adminMetricsPerHour: integer("Metrics queries per admin and hour", { default: 1000, min: 1, max: 1_000_000 }),
  adminConfigUpdatesPerHour: integer("Configuration updates per admin and hour", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  adminAuditQueriesPerHour: integer("Audit queries per admin and hour", { default: 1000, min: 1, max: 1_000_000 }),
  auditDefaultLimit: integer("Audit entries per page when a query names no limit", {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  auditMaxLimit: integer("Most audit entries per page", { default: 1000, min: 1, max: 1000 }),
  customRateLimitMax: integer("Highest custom limit of a device, in messages per window", {
    default: 1000,
    min: 0,
    max: 1000,
  }),
  inviteMaxLifetimeSeconds: integer("Longest lifetime of an invite", {
    default: 30 * daySeconds,
    min: 60,
    max: 30 * daySeconds,
  }),
  inviteUsualLifetimeSeconds: integer("Lifetime of an invite when none is requested", {
    default: 7 * daySeconds,
    min: 60,
    max: 30 * daySeconds,
  }),
};

/** Spam reports. */
export const spamConstants = {
  spamReportsPerHour: integer("Devices that one device may report per hour", { default: 10, min: 1, max: 100_000 }),
  spamReportsPerDay: integer("Devices that one device may report per day", { default: 50, min: 1, max: 1_000_000 }),
  spamReportsOfOneDevicePerDay: integer("Messages of one device that another may report per day", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  spamReporterMinTier: choice(
    "Lowest trust tier whose reports can block",
    ["new", "established", "trusted", "verified"],
    "established",
  ),
  spamWarningReports: integer("Reporters at which a device is flagged", { default: 3, min: 1, max: 100_000 }),
  spamScoreWindowSeconds: integer("Time over which reports count towards the spam score", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  spamScoreEstablished: decimal("Score of a report by an Established device", {
    default: 0.5,
    min: 0,
    max: 100,
  }),
  spamScoreTrusted: decimal("Score of a report by a Trusted or Verified device", { default: 1, min: 0, max: 100 }),
  spamBanSeconds: integer("Length of the ban when the score exceeds its threshold", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
};
