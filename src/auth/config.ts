import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

/** Signed requests and tokens. */
export const tokenSettings = {
  timestampWindowPastSeconds: integer("Largest age of a signed request", { default: 300, min: 1, max: daySeconds }),
  timestampWindowFutureSeconds: integer("How far the time of a signed request may lie ahead", {
    default: 60,
    min: 0,
    max: daySeconds,
  }),
  deviceTokenSeconds: integer("Lifetime of a device's access token", {
    default: daySeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  adminTokenSeconds: integer("Lifetime of an admin token", { default: hourSeconds, min: 1, max: daySeconds }),
  federationTokenSeconds: integer("Lifetime of a federation token", { default: hourSeconds, min: 1, max: daySeconds }),
};

export const tokenConstants = {
  deviceSessionSeconds: constant(
    "Time after its announcement for which a device can refresh its token",
    7 * daySeconds,
  ),
  adminSessionSeconds: constant("Time after the login for which an admin can refresh the token", 12 * hourSeconds),
  tokenCacheEntries: constant("Verified token signatures cached per node", 50_000),
  retiredKeySeconds: constant(
    "Time for which a rotated-out signing key still verifies; no token lives longer",
    31 * daySeconds,
  ),
};

export type AuthSettings = ValuesOf<typeof tokenSettings & typeof tokenConstants>;
