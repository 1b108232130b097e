import { createHash } from "node:crypto";
import { invalidToken } from "../auth/tokens.js";
import type { Database } from "../database/db.js";
import type { Device, DevicesService } from "../devices/service.js";
import { refuseBarred } from "../limits/barred.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { PushSettings } from "./config.js";
import { pushLimit } from "./limits.js";
import { isPublicKey } from "./message-encryption.js";
import type { PushMessage, PushOutcome, PushRequests } from "./push-requests.js";
import type { TargetSeal } from "./sealed-target.js";
import {
  confirmSubscription,
  deleteSubscription,
  deleteSubscriptions,
  readSubscription,
  replaceSubscription,
  type StoredSubscription,
  updateSubscription,
} from "./store.js";
import type { PushAnswer, PushSubscription, PushTarget, PushUrgency } from "./types.js";

/** Where devices want to be woken. A device has one subscription. */
export type Subscriptions = ReturnType<typeof createSubscriptions>;

export interface SubscriptionsDeps {
  db: Database;
  clock: Clock;
  random: Pick<Random, "bytes">;
  devices: Pick<DevicesService, "find">;
  rateLimiter: Pick<RateLimiter, "count">;
  requests: Pick<PushRequests, "check" | "send">;
  seal(): TargetSeal;
  keyId(): string;
  config: PushSettings;
}

const codeBytes = 16;
const testTtlSeconds = 60;
/** Apart from the topic of wake-ups, so that no push replaces one of another kind. */
const testTopic = "mls-relay-tests1";

export function createSubscriptions(deps: SubscriptionsDeps) {
  const { db, clock, devices, rateLimiter, requests, config } = deps;

  const caller = async (deviceId: string, observer: LimitObserver | undefined): Promise<Device> => {
    if (!config.pushEnabled) throw new RelayError("PUSH_DISABLED", "this server sends no wake-up pushes");
    const device = await devices.find(db, deviceId);
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    refuseBarred("push_subscriptions_hour", { device, now: clock.nowSeconds() }, observer);
    return device;
  };
  /** An expired subscription may not have been removed yet. */
  const readLasting = async (deviceId: string): Promise<StoredSubscription | undefined> => {
    const found = await readSubscription(db, deviceId);
    return found?.expiresAt != null && found.expiresAt <= clock.nowSeconds() ? undefined : found;
  };
  const stored = async (deviceId: string): Promise<StoredSubscription> => {
    const found = await readLasting(deviceId);
    if (found === undefined) throw new RelayError("NOT_FOUND", "the device has no push subscription");
    return found;
  };
  const show = (subscription: StoredSubscription): PushSubscription => {
    const { endpoint } = deps.seal().open(subscription.deviceId, subscription.sealed);
    const { confirmed, keyId, urgency, createdAt, expiresAt, pushedAt: lastPushAt } = subscription;
    const endpointHash = createHash("sha256").update(endpoint).digest("hex");
    return { endpointHash, confirmed, keyId, urgency, createdAt, expiresAt, lastPushAt };
  };
  /** Whether the same subscription has been confirmed before. */
  const isKnown = (known: StoredSubscription | undefined, target: PushTarget): known is StoredSubscription => {
    if (known === undefined || !known.confirmed || known.keyId !== deps.keyId()) return false;
    const { endpoint, p256dh, auth } = deps.seal().open(known.deviceId, known.sealed);
    return endpoint === target.endpoint && p256dh === target.p256dh && auth === target.auth;
  };

  return {
    /**
     * Stores a subscription and pushes a code to it; without `push` in the result it was confirmed before. Throws
     * INVALID_REQUEST, PUSH_ENDPOINT_REFUSED, PUSH_DISABLED or RATE_LIMIT_EXCEEDED.
     */
    async subscribe(
      deviceId: string,
      { target, urgency, expiresAt }: { target: PushTarget; urgency: PushUrgency; expiresAt: number | null },
      observer?: LimitObserver,
    ): Promise<{ subscription: PushSubscription; push: PushAnswer | undefined }> {
      await caller(deviceId, observer);
      checkKeys(target);
      if (expiresAt !== null && expiresAt <= clock.nowSeconds())
        throw invalidMember("expires_at", "must be in the future");
      await rateLimiter.count(db, [pushLimit("push_subscriptions_hour", deviceId, config)], observer);
      const known = await readLasting(deviceId);
      if (isKnown(known, target)) {
        await updateSubscription(db, { deviceId, urgency, expiresAt });
        return { subscription: show({ ...known, urgency, expiresAt }), push: undefined };
      }
      await requests.check(target.endpoint);
      const code = Buffer.from(deps.random.bytes(codeBytes)).toString("base64url");
      const now = clock.nowSeconds();
      const drafted = {
        deviceId,
        sealed: deps.seal().seal(deviceId, target),
        service: deps.seal().serviceOf(target.endpoint),
        keyId: deps.keyId(),
        urgency,
        createdAt: now,
        expiresAt,
        codeHash: hashOf(code),
        codeExpiresAt: now + config.pushCodeSeconds,
      };
      await replaceSubscription(db, drafted);
      const outcome = await requests.send(target, codeMessage(code, config.pushCodeSeconds));
      return { subscription: show({ ...drafted, confirmed: false, pushedAt: null }), push: answerOf(outcome) };
    },
    /** Throws NOT_FOUND, PUSH_CODE_WRONG or RATE_LIMIT_EXCEEDED. */
    async confirm(deviceId: string, code: string, observer?: LimitObserver): Promise<PushSubscription> {
      await rateLimiter.count(db, [pushLimit("push_confirmations_hour", deviceId, config)], observer);
      const found = await stored(deviceId);
      const codeHash = hashOf(code);
      const isInTime = found.confirmed || found.codeExpiresAt > clock.nowSeconds();
      if (!isInTime || !(await confirmSubscription(db, { deviceId, codeHash })))
        throw new RelayError("PUSH_CODE_WRONG", "this is not the last code, or it has expired: subscribe again");
      return show({ ...found, confirmed: true });
    },
    /** Throws NOT_FOUND. */
    read: async (deviceId: string): Promise<PushSubscription> => show(await stored(deviceId)),
    /** False if there was none. */
    remove: async (deviceId: string): Promise<boolean> => (await deleteSubscriptions(db, [deviceId])) > 0,
    /** Sends a push at once. Throws NOT_FOUND, CONFLICT, PUSH_ENDPOINT_REFUSED, PUSH_DISABLED or RATE_LIMIT_EXCEEDED. */
    async test(deviceId: string, observer?: LimitObserver): Promise<PushAnswer> {
      await caller(deviceId, observer);
      await rateLimiter.count(db, [pushLimit("push_tests_hour", deviceId, config)], observer);
      const found = await stored(deviceId);
      if (!found.confirmed) throw new RelayError("CONFLICT", "the subscription is not confirmed yet");
      const target = deps.seal().open(deviceId, found.sealed);
      const content = { type: "test" };
      const message = { content, urgency: "high", topic: testTopic, ttlSeconds: testTtlSeconds } as const;
      const outcome = await requests.send(target, message);
      if (outcome.kind === "gone") await deleteSubscription(db, found);
      return answerOf(outcome);
    },
  };
}

function codeMessage(code: string, ttlSeconds: number): PushMessage {
  return { content: { type: "confirm", code }, urgency: "high", topic: testTopic, ttlSeconds };
}

/** The contract has checked the lengths; base64url of these lengths has bits that must be zero. */
function checkKeys({ p256dh, auth }: PushTarget): void {
  for (const [member, text] of Object.entries({ p256dh, auth })) {
    if (Buffer.from(text, "base64url").toString("base64url") !== text)
      throw invalidMember(member, "must be canonical base64url");
  }
  if (!isPublicKey(Buffer.from(p256dh, "base64url"))) throw invalidMember("p256dh", "must be a point of P-256");
}

function answerOf({ status, retryAfterSeconds }: PushOutcome): PushAnswer {
  const digit = status === null ? 0 : Math.floor(status / 100);
  const statusClass = digit >= 2 && digit <= 5 ? (`${digit}xx` as PushAnswer["statusClass"]) : null;
  return { statusClass, retryAfterSeconds };
}

function hashOf(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
