import { encodeBase64 } from "../../protocol/encodings.js";
import { hourSeconds } from "../../protocol/units.js";
import { refused, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

const day = 24 * hourSeconds;

/** Rules that advance the server's time, the longest last. */
export const timeRules: readonly Rule[] = [
  {
    id: "time.info-package",
    title: "an info package is not found after its lifetime",
    source: "specification, Info package states; openapi: getInfoPackage",
    requires: ["time"],
    async check(harness) {
      const bob = await harness.bob();
      const ciphertext = encodeBase64(harness.random.bytes(16));
      const body = { ciphertext, package_type: "identity", ttl_seconds: 60 };
      const { url_segment } = success(await bob.call("uploadInfoPackage", { body }), 200);
      await harness.passTime(61);
      refused(await harness.call("getInfoPackage", { params: { url_segment } }), "NOT_FOUND");
    },
  },
  {
    id: "time.window",
    title: "a sender's rate limit is reset after an hour",
    source: "openapi: sendMessage; specification, Limits",
    requires: ["time", "admin"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const limit = { device_id: alice.deviceId, reason: "conformance suite" };
      success(await harness.admin("setRateLimit", { body: { ...limit, custom_rate_limit: 1 } }), 200);
      await harness.passTime(hourSeconds + 1);
      success(await alice.call("sendMessage", { body: alice.message(bob.address) }), 202);
      refused(await alice.call("sendMessage", { body: alice.message(bob.address) }), "RATE_LIMIT_EXCEEDED");
      await harness.passTime(hourSeconds + 1);
      success(await alice.call("sendMessage", { body: alice.message(bob.address) }), 202);
    },
  },
  {
    id: "time.address",
    title: "an address and its token expire a day after the announcement",
    source: "specification, Delivery mapping; openapi: sendMessage",
    requires: ["time"],
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const id = await bob.send(alice.address).catch(() => undefined);
      await harness.passTime(day + 1);
      refused(await alice.call("pollMessages"), "INVALID_TOKEN");
      await alice.client.register({ admission: { by: "nothing" } });
      refused(await alice.call("sendMessage", { body: alice.message(bob.address) }), "ADDRESS_NOT_FOUND");
      if (id !== undefined) same((await alice.queue()).includes(id), true, "its queue still holds what came before");
    },
  },
];
