import { integer, type ValuesOf } from "../../platform/config/setting.js";

/** Which node holds a device's stream. */
export const presenceConstants = {
  replacementsPerMinute: integer("Replacements of a device's stream per minute", { default: 5, min: 1, max: 10_000 }),
  streamSafetyPollSeconds: integer(
    "Interval at which streams are compared with their queues, in case a notification is lost",
    {
      default: 5,
      min: 1,
      max: 600,
    },
  ),
};

export type PresenceSettings = ValuesOf<typeof presenceConstants>;
