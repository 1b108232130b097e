import type { Secrets } from "../auth/secrets.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Db } from "../database/db.js";
import type { Device } from "../devices/service.js";
import type { LimitRequest } from "../limits/limit-request.js";
import type { NodeSettings } from "../node/config.js";
import type { Resolve } from "../node/resolver.js";
import type { Schedule } from "../node/schedule.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Random } from "../platform/random.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { PushSettings } from "./config.js";
import { pushLimits } from "./limits.js";
import { createPushRequests } from "./push-requests.js";
import { loadTargetSeal, type TargetSeal } from "./sealed-target.js";
import { createSender, type SenderDeps } from "./sender.js";
import { deleteOldServices } from "./service-failures-store.js";
import { deleteSubscriptions, deleteUseless } from "./store.js";
import { createSubscriptions, type Subscriptions, type SubscriptionsDeps } from "./subscriptions.js";
import { loadVapidKey, type VapidKey } from "./vapid.js";
import { createWakeUps, type WakeUps, type WakeUpsDeps } from "./wake-ups.js";

export { vapidSecret } from "./vapid.js";

/** Wakes devices that have no stream, over the push services that they have named (Web Push, RFC 8030). */
export interface PushService extends Subscriptions, Pick<WakeUps, "noteWaiting" | "noteFewPackages" | "catchUp"> {
  start(): Promise<void>;
  /** Waits for the pushes that are being sent. */
  stop(): Promise<void>;
  /** What the discovery document says; null if pushes are switched off. */
  policy(): Pick<VapidKey, "id" | "publicKey"> | null;
  /** Removes subscriptions that have expired, were never confirmed, or were made for another VAPID key. */
  removeUseless(): Promise<void>;
  /** Deletes the subscriptions of devices, in the caller's transaction. */
  forgetDevices(db: Db, ids: readonly string[]): Promise<void>;
  limitsOf(device: Device): LimitRequest[];
}

interface PushDeps
  extends Omit<WakeUpsDeps, "metrics">,
    Omit<SenderDeps, "requests" | "seal" | "keyId" | "random" | "metrics">,
    Omit<SubscriptionsDeps, "requests" | "seal" | "keyId" | "random"> {
  random: Random;
  metrics: SenderDeps["metrics"];
  secrets: Pick<Secrets, "get">;
  resolve: Resolve;
  /** The public URL of this relay, by which a push service can find its operator. */
  baseUrl: string;
  config: PushSettings & Pick<NodeSettings, "expiryStepRows">;
}

export function createPushService(deps: PushDeps): PushService {
  const { db, clock, logger, config } = deps;
  let loaded: { key: VapidKey; seal: TargetSeal } | undefined;
  const secrets = (): { key: VapidKey; seal: TargetSeal } => {
    if (loaded === undefined) throw new Error("the keys for pushes are not loaded");
    return loaded;
  };
  const keyed = { seal: () => secrets().seal, keyId: () => secrets().key.id };
  const requests = createPushRequests({ ...deps, vapidKey: () => secrets().key });
  const subscriptions = createSubscriptions({ ...deps, ...keyed, requests });
  const wakeUps = createWakeUps(deps);
  const sender = createSender({ ...deps, ...keyed, requests });
  const periodic = createPeriodic({
    everyMillis: config.pushPollMillis,
    async run() {
      await wakeUps.flush();
      await sender.refill();
    },
    failed: (error) => logger.warn({ err: error }, "wake-up pushes could not be made due"),
  });

  return {
    ...subscriptions,
    noteWaiting(deviceIds) {
      if (config.pushEnabled) wakeUps.noteWaiting(deviceIds);
    },
    noteFewPackages(deviceId) {
      if (config.pushEnabled) wakeUps.noteFewPackages(deviceId);
    },
    async catchUp() {
      if (config.pushEnabled) await wakeUps.catchUp();
    },
    async start() {
      const [key, seal] = [
        await loadVapidKey(deps.secrets, deps.baseUrl),
        await loadTargetSeal(deps.secrets, deps.random),
      ];
      loaded = { key, seal };
      if (config.pushEnabled) periodic.start();
    },
    async stop() {
      await periodic.stop();
      await sender.stop();
      // What is not flushed is found by the next catch-up.
      await wakeUps.flush().catch(() => undefined);
      requests.close();
    },
    policy: () => (config.pushEnabled ? secrets().key : null),
    async removeUseless() {
      const given = { now: clock.nowSeconds(), keyId: keyed.keyId() };
      await inBoundedSteps(config.expiryStepRows, (limit) => deleteUseless(db, { ...given, limit }));
      await deleteOldServices(db, given.now - daySeconds);
    },
    async forgetDevices(trx, ids) {
      await deleteSubscriptions(trx, ids);
    },
    limitsOf: ({ deviceId }) => pushLimits(deviceId, config),
  };
}

/** Schedules the catch-up and the removal of subscriptions that are of no use. */
export function schedulePushJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  push: Pick<PushService, "catchUp" | "removeUseless">,
  config: Pick<PushSettings, "pushCatchUpSeconds">,
): void {
  schedule.every("push.catch-up", config.pushCatchUpSeconds, () => push.catchUp());
  schedule.cleanUpEvery("push.clean-up", hourSeconds, () => push.removeUseless());
}
