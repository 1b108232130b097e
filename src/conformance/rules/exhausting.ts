import { closeCodes } from "../../../generated/frames.js";
import { encodeBase64 } from "../../protocol/encodings.js";
import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Answer } from "../harness/requests.js";
import type { Rule } from "../harness/types.js";
import { announce, onEveryNode } from "./registration.js";
import { timeRules } from "./time.js";

/** Rules that use up the limits of the caller. */
export const exhaustingRules: readonly Rule[] = [
  {
    id: "limits.announcements",
    title: "the fourth announcement of a device within an hour is refused with the time of the next possible one",
    source: "openapi: announceWithProof; errors.yaml: RATE_LIMIT_EXCEEDED",
    async check(harness) {
      const carol = await harness.carol();
      let at = (await harness.now()) + 1;
      // The device may have signed an announcement in any of the last seconds.
      const announceAnew = async (): Promise<Answer> => {
        at -= 1;
        const answer = await announce(harness, carol, { at });
        return answer.body.error === "CONFLICT" ? announceAnew() : answer;
      };
      await announceAnew();
      await announceAnew();
      const last = await announceAnew();
      refused(last, "RATE_LIMIT_EXCEEDED");
      hold(typeof last.body["reset_at"] === "number", "there is no reset_at");
      hold(last.headers.has("retry-after"), "there is no Retry-After");
    },
  },
  {
    id: "limits.stream-replacements",
    title:
      "after five replacements within a minute a newer stream is refused with 4029, and the present one stays open",
    source: "asyncapi: Coming back; Close codes",
    async check(harness) {
      const carol = await harness.carol();
      let present = await harness.deviceStream(carol);
      for (let replacements = 0; replacements < 5; replacements++) present = await harness.deviceStream(carol);
      const newer = await harness.stream();
      newer.send({ type: "auth", access_token: carol.token() });
      const error = await newer.next("error");
      same(error.error, "RATE_LIMIT_EXCEEDED", "error");
      hold(typeof error.retry_after === "number", "there is no retry_after");
      same(await newer.closed(), closeCodes.tooManyReplacements.code, "the close code");
      const unknown = carol.client.connection.newMessageId();
      same(await present.acknowledge(unknown), false, "what the present stream answered");
      await present.end();
    },
  },
  {
    id: "limits.info-packages",
    title: "beyond its limit of info packages a device gets INFOPACKAGE_RATE_LIMIT",
    source: "openapi: uploadInfoPackage; errors.yaml: INFOPACKAGE_RATE_LIMIT",
    requires: ["admin"],
    async check(harness) {
      const { rate_limiting } = success(await harness.admin("getConfig"), 200);
      const max = Math.min(rate_limiting.infopackage_uploads_per_hour, rate_limiting.infopackage_uploads_per_day);
      if (max > 50) throw new NotChecked(`${max} uploads are too many to try`);
      const carol = await harness.carol();
      const ciphertext = encodeBase64(harness.random.bytes(16));
      const body = { ciphertext, package_type: "identity", ttl_seconds: 60 };
      for (let count = 0; count < max; count++) success(await carol.call("uploadInfoPackage", { body }), 200);
      const answer = await carol.call("uploadInfoPackage", { body });
      refused(answer, "INFOPACKAGE_RATE_LIMIT");
      hold(typeof answer.body["retry_after"] === "number", "there is no retry_after");
    },
  },
  {
    id: "limits.closed",
    title: "a closed server registers no new devices, while known ones continue",
    source: "openapi: announceWithProof; errors.yaml: REGISTRATION_CLOSED",
    requires: ["admin", "test profile"],
    async check(harness) {
      const set = (enabled: boolean) => harness.admin("updateConfig", { body: { registration: { enabled } } });
      const { publicKey } = await harness.alice();
      success(await set(false), 200);
      try {
        const isClosed = async () => !success(await harness.call("getDiscovery"), 200).registration.enabled;
        await onEveryNode(harness, isClosed, "the discovery document does not tell it");
        const body = { public_key: publicKey };
        refused(await harness.call("createRegistrationChallenge", { body }), "REGISTRATION_CLOSED");
        success(await (await harness.alice()).call("pollMessages"), 200);
      } finally {
        success(await set(true), 200);
      }
    },
  },
  ...timeRules,
];
