import { integer, type ValuesOf } from "../platform/config/setting.js";

/** Limits by network address. */
export const rateLimitConstants = {
  ipv6SiteFactor: integer("How many times the limit of an IPv6 /64 applies to its /48, if IPs are counted", {
    default: 16,
    min: 1,
    max: 65_536,
  }),
};

export type RateLimitSettings = ValuesOf<typeof rateLimitConstants>;
