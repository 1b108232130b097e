import { constant, type ValuesOf } from "../platform/config/setting.js";

/** Limits by network address. */
export const rateLimitConstants = {
  ipv6SiteFactor: constant("How many times the limit of an IPv6 /64 applies to its /48, if IPs are counted", 16),
};

export type RateLimitSettings = ValuesOf<typeof rateLimitConstants>;
