import { invalidMember } from "./errors.js";
import { isTimely } from "./signed-text.js";

/** How far a signed request's timestamp may lie behind the server's time and ahead of it. */
export interface TimestampWindow {
  timestampWindowPastSeconds: number;
  timestampWindowFutureSeconds: number;
}

/** Throws INVALID_REQUEST with `server_timestamp` if a request is too old or from the future. Unix seconds. */
export function checkTimestamp(timestamp: number, now: number, window: TimestampWindow): void {
  const pastSeconds = window.timestampWindowPastSeconds;
  const futureSeconds = window.timestampWindowFutureSeconds;
  if (isTimely({ timestamp, nowSeconds: now, pastSeconds, futureSeconds })) return;
  throw invalidMember("timestamp", "is outside the acceptable window", { extras: { server_timestamp: now } });
}
