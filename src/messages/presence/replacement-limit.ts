import { minuteSeconds } from "../../protocol/units.js";
import type { LimitRequest } from "../../rate-limit/limits.js";
import type { PresenceSettings } from "./config.js";

/** A device has one stream: a new one replaces it, at most `replacementsPerMinute` (5) times a minute on all nodes together. */
export function replacementLimit(
  deviceId: string,
  config: Pick<PresenceSettings, "replacementsPerMinute">,
): LimitRequest {
  return {
    name: "stream_replacements",
    subject: { ids: [deviceId] },
    limit: config.replacementsPerMinute,
    windowSeconds: minuteSeconds,
    message: "the device's stream was replaced too often",
  };
}
