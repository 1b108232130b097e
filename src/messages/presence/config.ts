import { constant, type ValuesOf } from "../../platform/config/setting.js";

/** Which node holds a device's stream. */
export const presenceConstants = {
  replacementsPerMinute: constant("Replacements of a device's stream per minute", 5),
  streamSafetyPollSeconds: constant(
    "Interval at which streams are compared with their queues, in case a notification is lost",
    5,
  ),
};

export type PresenceSettings = ValuesOf<typeof presenceConstants>;
