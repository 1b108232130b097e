import type { PushHandlers } from "../../generated/handlers.js";
import type { PushService } from "./service.js";
import type { PushAnswer, PushSubscription } from "./types.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Wake-up pushes on the wire. */
export function createPushHandlers({ push }: { push: PushService }): PushHandlers {
  return {
    async subscribeToPush(call) {
      const { endpoint, p256dh, auth, urgency = "low", expires_at: expiresAt = null } = call.body;
      const wanted = { target: { endpoint, p256dh, auth }, urgency, expiresAt };
      const { subscription, push: answer } = await push.subscribe(call.principal.deviceId, wanted, call);
      const body = { subscription: show(subscription), ...(answer && { push: showAnswer(answer) }) };
      return call.reply({ status: 200, headers: noStore, body });
    },
    async getPushSubscription(call) {
      const subscription = await push.read(call.principal.deviceId);
      return call.reply({ status: 200, headers: noStore, body: show(subscription) });
    },
    async unsubscribeFromPush(call) {
      const removed = await push.remove(call.principal.deviceId);
      return call.reply({ status: 200, headers: noStore, body: { removed } });
    },
    async confirmPushSubscription(call) {
      const subscription = await push.confirm(call.principal.deviceId, call.body.code, call);
      return call.reply({ status: 200, headers: noStore, body: show(subscription) });
    },
    async testPushSubscription(call) {
      const answer = await push.test(call.principal.deviceId, call);
      return call.reply({ status: 200, headers: noStore, body: showAnswer(answer) });
    },
  };
}

function show(subscription: PushSubscription) {
  const { endpointHash, confirmed, keyId, urgency, createdAt, expiresAt, lastPushAt } = subscription;
  return {
    endpoint_sha256: endpointHash,
    confirmed,
    key_id: keyId,
    urgency,
    created_at: createdAt,
    expires_at: expiresAt,
    last_push_at: lastPushAt,
  };
}

function showAnswer({ statusClass, retryAfterSeconds }: PushAnswer) {
  return { status_class: statusClass, retry_after: retryAfterSeconds };
}
