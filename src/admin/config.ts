import { constant, integer, optionalText, type ValuesOf } from "../platform/config/setting.js";

/** Administration. */
export const adminSettings = {
  adminList: optionalText("First admins, as <public key hex>=<permission>+<permission>, separated by commas", "list"),
  adminListFile: optionalText('The same as a JSON file: [{"public_key": "…", "permissions": ["…"]}]', "path"),
  adminMetricsPerHour: integer("Metrics queries per admin and hour", { default: 1000, min: 1, max: 1_000_000 }),
  adminConfigUpdatesPerHour: integer("Configuration updates per admin and hour", {
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  adminAuditQueriesPerHour: integer("Audit queries per admin and hour", { default: 1000, min: 1, max: 1_000_000 }),
  customRateLimitMax: integer("Highest custom limit of a device, in messages per window", {
    default: 1000,
    min: 0,
    max: 1000,
  }),
};

export const adminConstants = {
  adminChallengeLifetimeSeconds: constant("Lifetime of an admin challenge", 300),
};

export type AdminSettings = ValuesOf<typeof adminSettings & typeof adminConstants>;
