import { constant, flag, integer, integers, optionalText, type ValuesOf } from "../platform/config/setting.js";
import { hourSeconds } from "../protocol/units.js";

/** Wake-up pushes. */
export const pushSettings = {
  pushEnabled: flag("Wake devices without a stream by Web Push", true),
  pushAllowPrivate: flag("Allow push services on loopback and private networks", false),
  pushPorts: integers("Ports on which push services may be called", [443, 8443], { min: 1, max: 65535 }),
  pushCaFile: optionalText("Certificate authorities (PEM) trusted for push services besides those of Node.js", "path"),
  pushJitterSeconds: integer("Longest random delay of a wake-up, drawn for each device", {
    default: 5,
    min: 0,
    max: hourSeconds,
  }),
};

export const pushConstants = {
  pushCodeSeconds: constant("Time in which a device must echo a code", 600),
  pushSubscriptionsPerHour: constant("Subscriptions stored per device and hour", 20),
  pushConfirmationsPerHour: constant("Codes echoed per device and hour", 60),
  pushTestsPerHour: constant("Tests of its subscription per device and hour", 20),
  pushPollMillis: constant("Interval at which a node looks for wake-ups that are due", 1_000),
  pushesAtOnce: constant("Pushes that a node sends at once", 256),
  pushesPerService: constant("Pushes that a node sends to one push service at once", 8),
  pushQuickMillis: constant(
    "A push service that takes longer for an answer is slow; half of the places are kept for services known as quick",
    2_000,
  ),
  pushLeaseSeconds: constant("Time for which a node alone may send a push that it has taken", 60),
  pushTimeoutSeconds: constant("Longest wait for a push service, the connection and a second attempt included", 10),
  pushFirstPauseSeconds: constant("First pause of a push service; it doubles with each further failure", 30),
  pushLongestPauseSeconds: constant("Longest pause of a push service", 1_800),
  pushCatchUpSeconds: constant("Interval at which all subscriptions are compared with the queues", 60),
};

export type PushSettings = ValuesOf<typeof pushSettings & typeof pushConstants>;
