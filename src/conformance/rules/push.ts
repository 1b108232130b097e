import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Harness, Rule } from "../harness/types.js";

/** Keys from the examples of RFC 8291. */
const keys = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

export const pushRules: readonly Rule[] = [
  {
    id: "push.key",
    title: "the discovery document has the key that devices subscribe with",
    source: "openapi: getDiscovery, push; RFC 8292, 4",
    async check(harness) {
      const { vapid_key: key } = await policyOf(harness);
      const point = Buffer.from(key, "base64url");
      hold(point.length === 65 && point[0] === 4, "the key must be an uncompressed point of P-256");
    },
  },
  {
    id: "push.endpoints",
    title: "a push endpoint that is an address of the relay's own network is refused, and nothing is stored",
    source: "openapi: subscribeToPush; errors.yaml: PUSH_ENDPOINT_REFUSED",
    async check(harness) {
      await policyOf(harness);
      const bob = await harness.bob();
      success(await bob.call("unsubscribeFromPush"), 200);
      for (const host of ["127.0.0.1", "[::1]", "169.254.169.254"]) {
        const body = { endpoint: `https://${host}/push`, ...keys };
        refused(await bob.call("subscribeToPush", { body }), "PUSH_ENDPOINT_REFUSED");
      }
      refused(await bob.call("getPushSubscription"), "NOT_FOUND");
      refused(await bob.call("testPushSubscription"), "NOT_FOUND");
      const code = Buffer.alloc(16).toString("base64url");
      refused(await bob.call("confirmPushSubscription", { body: { code } }), "NOT_FOUND");
      same(success(await bob.call("unsubscribeFromPush"), 200).removed, false, "whether there was a subscription");
    },
  },
];

async function policyOf(harness: Harness) {
  const { push } = success(await harness.call("getDiscovery"), 200);
  if (push === undefined) throw new NotChecked("the server sends no pushes");
  return push;
}
