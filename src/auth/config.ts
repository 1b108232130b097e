import { integer, type ValuesOf } from "../platform/config/setting.js";
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
  deviceSessionSeconds: integer("Time after its announcement for which a device can refresh its token", {
    default: 7 * daySeconds,
    min: 1,
    max: 365 * daySeconds,
  }),
  adminSessionSeconds: integer("Time after the login for which an admin can refresh the token", {
    default: 12 * hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  tokenCacheEntries: integer("Verified token signatures cached per node", {
    default: 50_000,
    min: 1,
    max: 10_000_000,
  }),
  retiredKeySeconds: integer("Time for which a rotated-out signing key still verifies; no token lives longer", {
    default: 31 * daySeconds,
    min: daySeconds,
    max: 365 * daySeconds,
  }),
  signingKeyReloadSeconds: integer("Shortest interval at which unknown key ids reload the signing keys", {
    default: 1,
    min: 1,
    max: hourSeconds,
  }),
};

export type AuthSettings = ValuesOf<typeof tokenSettings & typeof tokenConstants>;
