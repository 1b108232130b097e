import type { Config } from "../platform/config.js";

type Bounds = Pick<Config, "discoveryMinCacheSeconds" | "discoveryMaxCacheSeconds">;

/**
 * For how many seconds an answer may be kept, by its headers (RFC 9111, section 4.2.1) and within the configured bounds.
 * Headers that forbid keeping it get the lower bound: a peer cannot have itself asked at every message.
 */
export function cacheSeconds(headers: Readonly<Record<string, string>>, bounds: Bounds): number {
  const stated = statedSeconds(headers);
  return Math.min(bounds.discoveryMaxCacheSeconds, Math.max(bounds.discoveryMinCacheSeconds, stated));
}

function statedSeconds(headers: Readonly<Record<string, string>>): number {
  const control = headers["cache-control"]?.toLowerCase() ?? "";
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])(?:s-maxage|max-age)="?(\d{1,10})/.exec(control)?.[1];
  const age = /^\d{1,10}$/.test(headers["age"] ?? "") ? Number(headers["age"]) : 0;
  if (maxAge !== undefined) return Number(maxAge) - age;
  const seconds = (Date.parse(headers["expires"] ?? "") - Date.parse(headers["date"] ?? "")) / 1000;
  return Number.isFinite(seconds) ? Math.floor(seconds) - age : 0;
}
