import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, gibibyte, hourSeconds, mebibyte } from "../protocol/units.js";

/** Info packages. */
export const infoPackageSettings = {
  infoPackageAnonymousBytes: integer("Maximum bytes of all info packages without an uploader together", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 65_536 * gibibyte,
  }),
  infoPackageMinTtlSeconds: integer("Shortest lifetime of an info package", {
    default: 60,
    min: 60,
    max: 30 * daySeconds,
  }),
  infoPackageMaxTtlSeconds: integer("Longest lifetime of an info package", {
    default: 30 * daySeconds,
    min: 60,
    max: 30 * daySeconds,
  }),
  infoPackageMaxUses: integer("Highest number of uses that an info package can be limited to", {
    default: 1000,
    min: 1,
    max: 1000,
  }),
  infoPackageCleanupSeconds: integer("Interval at which expired and used-up info packages are removed", {
    default: hourSeconds,
    min: 1,
    max: daySeconds,
  }),
};

export const infoPackageConstants = {
  infoPackageBytes: constant("Largest ciphertext of an info package", mebibyte),
};

export type InfoPackageSettings = ValuesOf<typeof infoPackageSettings & typeof infoPackageConstants>;
