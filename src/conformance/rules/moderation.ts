import { hold, refused, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

export const moderationRules: readonly Rule[] = [
  {
    id: "moderation.report",
    title: "a report is recorded, and the same report again is answered with the first one",
    source: "openapi: reportSpam",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const message_id = await alice.send(bob.address);
      const body = { message_id, sender_id: alice.deviceId, reason: "other", details: "conformance suite" };
      const first = success(await bob.call("reportSpam", { body }), 200);
      const second = success(await bob.call("reportSpam", { body }), 200);
      same(second, first, "the second answer");
      await bob.clear();
    },
  },
  {
    id: "moderation.one-report",
    title: "one report does not keep a device from sending",
    source: "openapi: reportSpam",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      hold((await alice.send(bob.address)) !== "", "it may not send");
      await bob.clear();
    },
  },
  {
    id: "moderation.unknown",
    title: "a report about an unknown device, or without a reason, is refused",
    source: "openapi: reportSpam; errors.yaml: DEVICE_NOT_FOUND",
    async check(harness) {
      const bob = await harness.bob();
      const message_id = bob.client.connection.newMessageId();
      const body = { message_id, sender_id: "ab".repeat(32), reason: "spam" };
      refused(await bob.call("reportSpam", { body }), "DEVICE_NOT_FOUND");
      refused(await bob.call("reportSpam", { body: { ...body, reason: "" } }), "INVALID_REQUEST");
    },
  },
];
