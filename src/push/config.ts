import { flag, integer, integers, optionalText, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

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
  pushGapSeconds: integer("Shortest time between two wake-ups of a device", { default: 30, min: 0, max: hourSeconds }),
  pushUnansweredSeconds: integer("Wait after a wake-up that led to no poll; it doubles each time", {
    default: 60,
    min: 0,
    max: hourSeconds,
  }),
  pushLongestWaitSeconds: integer("Longest wait after wake-ups that led to no poll", {
    default: hourSeconds,
    min: 0,
    max: daySeconds,
  }),
  pushLowPackagesGapSeconds: integer("Shortest time between two wake-ups for few key packages", {
    default: hourSeconds,
    min: 0,
    max: daySeconds,
  }),
  pushCodeSeconds: integer("Time in which a device must echo a code", { default: 600, min: 1, max: daySeconds }),
  pushSubscriptionsPerHour: integer("Subscriptions that a device may store in an hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  pushConfirmationsPerHour: integer("Codes that a device may echo in an hour", { default: 60, min: 1, max: 1_000_000 }),
  pushTestsPerHour: integer("Tests of its subscription that a device may ask for in an hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  pushPollMillis: integer("Interval at which a node looks for wake-ups that are due", {
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
  pushesAtOnce: integer("Pushes that a node sends at once", { default: 256, min: 1, max: 1_000 }),
  pushesPerService: integer("Pushes that a node sends to one push service at once", { default: 8, min: 1, max: 1_000 }),
  pushQuickMillis: integer(
    "A push service that takes longer for an answer is slow; half of the places are kept for services known as quick",
    { default: 2_000, min: 1, max: 60_000 },
  ),
  pushSlowSeconds: integer("Time for which a push service counts as slow after a late answer", {
    default: 600,
    min: 1,
    max: hourSeconds,
  }),
  pushLeaseSeconds: integer("Time for which a node alone may send a push that it has taken", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
  pushTimeoutSeconds: integer(
    "Longest wait for the answer of a push service, the connection and a second attempt included",
    {
      default: 10,
      min: 1,
      max: 50,
    },
  ),
  pushFailuresBeforePause: integer("Failures in a row after which a push service is paused", {
    default: 5,
    min: 1,
    max: 1_000,
  }),
  pushFirstPauseSeconds: integer("First pause of a push service; it doubles with each further failure", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  pushLongestPauseSeconds: integer("Longest pause of a push service", { default: 1_800, min: 1, max: daySeconds }),
  pushAttempts: integer("Attempts after which a wake-up that the push service refuses is given up", {
    default: 8,
    min: 1,
    max: 100,
  }),
  pushCatchUpSeconds: integer("Interval at which all subscriptions are compared with the queues", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
};

export type PushSettings = ValuesOf<typeof pushSettings & typeof pushConstants>;
