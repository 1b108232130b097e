import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database } from "../database/db.js";
import type { DeliveryState } from "../messages/model/types.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { doublingWait } from "../protocol/doubling-wait.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import type { PushSettings } from "./config.js";
import {
  dropPush,
  giveUpPush,
  type LeasedPush,
  leaseDue,
  postponePush,
  recordLowPushed,
  recordPushed,
} from "./due-pushes-store.js";
import type { PushMessage, PushOutcome, PushRequests } from "./push-requests.js";
import type { TargetSeal } from "./sealed-target.js";
import { clearFailures, countFailure, postponeService } from "./service-failures-store.js";
import { type PushPlace, ServicePaces } from "./service-paces.js";
import { deleteSubscription } from "./store.js";
import { hasAnswered, waits } from "./wake-up-times.js";

/** Time for which a push service counts as slow after a late answer. */
const pushSlowSeconds = 600;
/** Failures in a row after which a push service is paused. */
const pushFailuresBeforePause = 5;
/** Attempts after which a wake-up that the push service refuses is given up. */
const pushAttempts = 8;

export interface SenderDeps {
  db: Database;
  clock: Clock;
  random: Pick<Random, "fraction" | "uuid">;
  logger: Logger;
  metrics: Pick<MetricsService, "count" | "observe">;
  settings: Pick<SettingsService, "current">;
  messages: { deliveryStates(deviceIds: readonly string[]): Promise<ReadonlyMap<string, DeliveryState>> };
  requests: Pick<PushRequests, "send">;
  seal(): TargetSeal;
  keyId(): string;
  config: PushSettings;
}

/** Of the pushes with this topic, a service keeps the last one. The same for all devices, so that it tells nothing. */
const wakeTopic = "mls-relay-wakeup";
const wakeContent = { type: "wake" };
const maxTtlSeconds = 28 * daySeconds;
const firstRetrySeconds = 5;
const movedPerStatement = 10_000;
const longestSpreadMillis = 60_000;

/**
 * Sends the pushes that are due, those of all nodes. A push is leased, sent and recorded in this order: if the node
 * dies in between, another one sends it again once the lease has ended.
 */
export function createSender(deps: SenderDeps) {
  const { db, clock, config } = deps;
  /** By device: a push that outlives its lease, because the clock has jumped, is not begun a second time. */
  const sending = new Map<string, Promise<void>>();
  const places = new Map<string, number>();
  const paces = new ServicePaces({
    quickMillis: config.pushQuickMillis,
    slowSeconds: pushSlowSeconds,
    atOnce: config.pushesAtOnce,
  });
  let isStopping = false;

  const failed = (error: unknown) => deps.logger.warn({ err: error }, "wake-up pushes could not be sent");
  const occupy = (service: string, change: number): void => {
    const count = (places.get(service) ?? 0) + change;
    if (count === 0) places.delete(service);
    else places.set(service, count);
  };
  const begin = ({ push, lease, queue }: Sending): void => {
    const service = push.service.toString("hex");
    occupy(service, 1);
    const place = paces.enter(service);
    // What was not recorded is sent again after the lease.
    const sent = sendOne({ ...deps, requests: timed(deps.requests, place) }, { push, lease, queue })
      .catch(failed)
      .then(() => {
        place.leave();
        occupy(service, -1);
        sending.delete(push.deviceId);
        void refilling.runNext();
      });
    sending.set(push.deviceId, sent);
  };
  /** Returns how many pushes have begun: those that are due for longest, of all services or only of some. */
  const beginUpTo = async (limit: number, onlyServices: readonly string[] | null): Promise<number> => {
    if (limit <= 0 || onlyServices?.length === 0) return 0;
    const lease = deps.random.uuid();
    const nowMillis = clock.nowMillis();
    const untilMillis = nowMillis + config.pushLeaseSeconds * 1000;
    const { pushesPerService: perService } = config;
    const given = { nowMillis, untilMillis, lease, limit, perService, places, sending: [...sending.keys()] };
    const pushes = await leaseDue(db, { ...given, onlyServices });
    if (pushes.length === 0) return 0;
    const queues = await deps.messages.deliveryStates(pushes.map(({ deviceId }) => deviceId));
    for (const push of pushes) begin({ push, lease, queue: queues.get(push.deviceId) });
    return pushes.length;
  };
  const beginSome = async (): Promise<number> => {
    const free = () => config.pushesAtOnce - sending.size;
    const open = Math.min(free(), paces.placesOfOthers(performance.now()));
    const begun = await beginUpTo(open, null);
    // Slow services hold places, or there is more than fits into those: the others are kept for quick services.
    const isContended = begun === open || paces.placesOfOthers(performance.now()) < paces.places;
    if (!isContended) return begun;
    return begun + (await beginUpTo(free(), paces.quick(performance.now())));
  };
  /** Runs when it is asked to, not by a timer. */
  const refilling = createPeriodic({
    everyMillis: config.pushPollMillis,
    async run() {
      while (!isStopping && (await beginSome()) > 0);
    },
    failed,
  });

  return {
    /** Begins pushes that are due, as many as there are places for; each place that becomes free is filled again. */
    refill: (): Promise<void> => refilling.runNext(),
    /** Begins no more pushes, and waits for those that are being sent. */
    async stop(): Promise<void> {
      isStopping = true;
      await refilling.stop();
      await Promise.all(sending.values());
    },
  };
}

/** Tells the place how long the service takes. */
function timed(requests: SenderDeps["requests"], place: PushPlace): SenderDeps["requests"] {
  return {
    async send(target, message) {
      const ended = place.asks(performance.now());
      let isTaken = false;
      try {
        const outcome = await requests.send(target, message);
        isTaken = outcome.kind === "accepted";
        return outcome;
      } finally {
        ended(isTaken, performance.now());
      }
    },
  };
}

interface Sending {
  push: LeasedPush;
  lease: string;
  queue: DeliveryState | undefined;
}

async function sendOne(deps: SenderDeps, { push, lease, queue }: Sending): Promise<void> {
  const { db, clock, metrics } = deps;
  const key = { deviceId: push.deviceId, lease };
  if (!isWanted(push, { queue, keyId: deps.keyId(), now: clock.nowSeconds() })) return dropPush(db, key);
  const message = wakeUp(push.urgencyDue, deps.settings.current().server.max_retention_days);
  const outcome = await deps.requests
    .send(deps.seal().open(push.deviceId, push.sealed), message)
    .catch((): PushOutcome => ({ kind: "unavailable", status: null, retryAfterSeconds: null }));
  const now = clock.nowSeconds();
  switch (outcome.kind) {
    case "accepted":
      metrics.count("pushes_accepted");
      metrics.observe("push_latency", Math.max(0, clock.nowMillis() - push.sinceMillis));
      if (push.urgencyDue === "low") await recordLowPushed(db, { ...key, now });
      else await recordWakeUp(deps, { push, lease, queue });
      if (push.serviceFailures > 0) await clearFailures(db, push.service);
      return;
    case "gone":
      metrics.count("push_subscriptions_gone");
      return deleteSubscription(db, push);
    case "unavailable":
      metrics.count("pushes_failed");
      return postpone(deps, { push, lease, outcome, pausedUntil: await failService(deps, push, outcome) });
    case "limited":
      // A device could make its own subscription answer so; others of the same service must not wait for that.
      metrics.count("pushes_failed");
      return postpone(deps, { push, lease, outcome, pausedUntil: 0 });
    case "refused":
      metrics.count("pushes_failed");
      if (push.attempts + 1 >= pushAttempts) return giveUpPush(db, { ...key, position: queue?.head ?? 0 });
      return postpone(deps, { push, lease, outcome, pausedUntil: 0 });
  }
}

async function recordWakeUp({ db, clock, metrics }: SenderDeps, { push, lease, queue }: Sending): Promise<void> {
  const { head: position, cursor } = queue ?? { head: 0, cursor: 0 };
  const unanswered = hasAnswered(push, queue) ? 1 : push.unanswered + 1;
  const { deviceId } = push;
  await recordPushed(db, { deviceId, lease, now: clock.nowSeconds(), position, cursor, unanswered });
  if (unanswered === 1 && push.unanswered > 0) metrics.count("push_wake_ups_answered");
}

/** The device may have read its messages, or the push is too late for its service to keep it. */
function isWanted(
  push: LeasedPush,
  { queue, keyId, now }: { queue: DeliveryState | undefined; keyId: string; now: number },
): boolean {
  if (!push.confirmed || push.keyId !== keyId || (push.expiresAt ?? Number.POSITIVE_INFINITY) <= now) return false;
  if (now - push.sinceMillis / 1000 > maxTtlSeconds) return false;
  return push.urgencyDue === "low" ? push.urgency === "low" && queue?.hasStream !== true : waits(queue);
}

function wakeUp(urgency: PushMessage["urgency"], retentionDays: number): PushMessage {
  const ttlSeconds = Math.min(retentionDays * daySeconds, maxTtlSeconds);
  return { content: wakeContent, urgency, topic: wakeTopic, ttlSeconds };
}

/** Counts a failure of a push service. One that fails for all is paused as a whole. Returns until when; 0 if it is not paused. */
async function failService(deps: SenderDeps, { service }: LeasedPush, outcome: PushOutcome): Promise<number> {
  const { db, clock } = deps;
  const { pushFirstPauseSeconds, pushLongestPauseSeconds } = deps.config;
  const now = clock.nowSeconds();
  const until = await countFailure(db, {
    service,
    now,
    retryAfter: Math.min(outcome.retryAfterSeconds ?? 0, pushLongestPauseSeconds),
    threshold: pushFailuresBeforePause,
    firstPause: pushFirstPauseSeconds,
    longestPause: pushLongestPauseSeconds,
  });
  if (until <= now) return 0;
  const spreadMillis = spreadOf(until - now);
  await inBoundedSteps(movedPerStatement, (limit) => postponeService(db, { service, until, spreadMillis, limit }));
  return until;
}

/** Full jitter: a random part of a time that doubles with each attempt, but not before the service wants to be asked again. */
async function postpone(
  deps: SenderDeps,
  given: { push: LeasedPush; lease: string; outcome: PushOutcome; pausedUntil: number },
): Promise<void> {
  const { push, lease, outcome, pausedUntil } = given;
  const now = deps.clock.nowMillis();
  const { pushLongestPauseSeconds: longest } = deps.config;
  const wait = doublingWait(push.attempts + 1, { first: firstRetrySeconds, longest });
  const asked = Math.min(outcome.retryAfterSeconds ?? 0, longest);
  const earliest = Math.max(now + asked * 1000, pausedUntil * 1000);
  const range = pausedUntil === 0 ? wait * 1000 : spreadOf(pausedUntil - now / 1000);
  const dueAtMillis = Math.ceil(earliest + deps.random.fraction() * range);
  await postponePush(deps.db, { deviceId: push.deviceId, lease, dueAtMillis });
}

/** After a pause, waiting pushes are sent over this time, in milliseconds, not all at once. */
function spreadOf(pauseSeconds: number): number {
  return Math.ceil(Math.min(longestSpreadMillis, Math.max(0, pauseSeconds) * 1000));
}
