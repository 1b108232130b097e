// What every signed request is held to besides its signature: the server that it is meant for, and its age.

import { parseDomain } from "./address.js";
import { invalidMember } from "./errors.js";
import { isTimely } from "./signed-text.js";

/** How far a signed request's timestamp may lie behind the server's time and ahead of it. */
export interface TimestampWindow {
  timestampWindowPastSeconds: number;
  timestampWindowFutureSeconds: number;
}

/** Throws INVALID_REQUEST where a request names an audience that is not this server. */
export function checkAudience(audience: string | undefined, domain: string): void {
  if (audience === undefined || parseDomain(audience, { ownDomain: domain }) === domain) return;
  throw invalidMember("audience", `must be ${domain}, the domain of this server`);
}

/** Throws INVALID_REQUEST with `server_timestamp` where a request is too old or from the future. Unix seconds. */
export function checkTimestamp(timestamp: number, now: number, window: TimestampWindow): void {
  const pastSeconds = window.timestampWindowPastSeconds;
  const futureSeconds = window.timestampWindowFutureSeconds;
  if (isTimely({ timestamp, nowSeconds: now, pastSeconds, futureSeconds })) return;
  throw invalidMember("timestamp", "is outside the acceptable window", { extras: { server_timestamp: now } });
}
