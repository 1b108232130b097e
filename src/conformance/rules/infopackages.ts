import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { encodeBase64 } from "../../protocol/encodings.js";
import { minuteSeconds } from "../../protocol/units.js";
import { hold, refused, same, success } from "../harness/assertions.js";
import type { Harness, Rule } from "../harness/types.js";

export const infoPackageRules: readonly Rule[] = [
  {
    id: "infopackages.uses",
    title: "of a package with two uses exactly two of five downloads at once succeed; then it is exhausted",
    source: "openapi: getInfoPackage; errors.yaml: INFOPACKAGE_EXHAUSTED",
    async check(harness) {
      const body = { ...bodyOf(harness), max_uses: 2 };
      const { url_segment } = success(await (await harness.bob()).call("uploadInfoPackage", { body }), 200);
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => download(harness, url_segment)));
      const taken = answers.filter(({ status }) => status === 200);
      same(taken.length, 2, "how many succeeded");
      for (const answer of taken) same(answer.body.ciphertext, body.ciphertext, "the ciphertext");
      for (const answer of answers) if (answer.status !== 200) refused(answer, "INFOPACKAGE_EXHAUSTED");
      const left = taken.map((answer) => answer.body.remaining_uses).sort();
      same(left, [0, 1], "remaining_uses");
    },
  },
  {
    id: "infopackages.revoke",
    title: "only the uploader can revoke a package, and then nobody finds it",
    source: "openapi: revokeInfoPackage; errors.yaml: UNAUTHORIZED, NOT_FOUND",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const { url_segment, max_uses } = success(await bob.call("uploadInfoPackage", { body: bodyOf(harness) }), 200);
      same(max_uses, null, "max_uses");
      const revoke = (device: typeof bob) => device.call("revokeInfoPackage", { params: { url_segment } });
      refused(await revoke(alice), "UNAUTHORIZED");
      same(success(await download(harness, url_segment), 200).remaining_uses, null, "remaining_uses");
      same(success(await revoke(bob), 200).revoked, true, "revoked");
      refused(await download(harness, url_segment), "NOT_FOUND");
      refused(await revoke(bob), "NOT_FOUND");
    },
  },
  {
    id: "infopackages.bounds",
    title: "a lifetime of 59 seconds or of more than 30 days, and 0 or 1001 uses, are refused with INVALID_CONFIG",
    source: "openapi: InfoPackageTtl, InfoPackageMaxUses; errors.yaml: INVALID_CONFIG",
    async check(harness) {
      const bob = await harness.bob();
      for (const wrong of [{ ttl_seconds: 59 }, { ttl_seconds: 2_592_001 }, { max_uses: 0 }, { max_uses: 1001 }]) {
        const body = { ...bodyOf(harness), ...wrong };
        refused(await bob.call("uploadInfoPackage", { body }), "INVALID_CONFIG");
      }
    },
  },
  {
    id: "infopackages.token",
    title: "an anonymous package is revoked only with its revocation token",
    source: "openapi: createRevocableInfoPackage, revokeRevocableInfoPackage",
    async check(harness) {
      const { package_type: _, ...body } = bodyOf(harness);
      const made = success(await harness.call("createRevocableInfoPackage", { body }), 200);
      const params = { segment: made.url.split("/").at(-1) ?? "" };
      const got = success(await harness.call("getRevocableInfoPackage", { params }), 200);
      same(got.ciphertext, body.ciphertext, "the ciphertext");
      const revoke = (token: string) =>
        harness.call("revokeRevocableInfoPackage", { params, headers: { "x-revocation-token": token } });
      refused(await revoke("00".repeat(32)), "UNAUTHORIZED");
      success(await revoke(made.revocation_token), 200);
      refused(await harness.call("getRevocableInfoPackage", { params }), "NOT_FOUND");
    },
  },
  {
    id: "infopackages.plain",
    title: "a package that the server encrypts is decrypted with the key in its answer, by ChaCha20-Poly1305",
    source: "openapi: uploadPlainInfoPackage, getPlainInfoPackage",
    async check(harness) {
      const bob = await harness.bob();
      const content = { display_name: "Conformance", note: [1, 2] };
      const sent = { package_type: "identity", content, ttl_seconds: minuteSeconds };
      const made = success(await bob.call("uploadPlainInfoPackage", { body: sent }), 200);
      const params = { url_segment: made.url.split("/").at(-1) ?? "" };
      const { ciphertext } = success(await harness.call("getPlainInfoPackage", { params }), 200);
      const bytes = Buffer.from(ciphertext, "base64");
      const key = Buffer.from(made.decryption_key, "hex");
      const opened = chacha20poly1305(key, bytes.subarray(0, 12)).decrypt(bytes.subarray(12));
      same(JSON.parse(Buffer.from(opened).toString()), content, "the content");
      const code = JSON.parse(made.qr_data);
      same([code.infopackage_url, code.infopackage_key], [made.url, made.decryption_key], "the code");
      success(await bob.call("revokePlainInfoPackage", { params }), 200);
      refused(await harness.call("getPlainInfoPackage", { params }), "NOT_FOUND");
    },
  },
  {
    id: "infopackages.apart",
    title: "a package of one kind is not found among the others",
    source: "openapi: getRevocableInfoPackage, getPlainInfoPackage",
    async check(harness) {
      const { package_type: _, ...body } = bodyOf(harness);
      const made = success(await harness.call("createRevocableInfoPackage", { body }), 200);
      const segment = made.url.split("/").at(-1) ?? "";
      refused(await harness.call("getPlainInfoPackage", { params: { url_segment: segment } }), "NOT_FOUND");
      hold((await download(harness, harness.random.uuid())).status === 404, "an unknown package was found");
    },
  },
];

function bodyOf({ random }: Harness) {
  return { ciphertext: encodeBase64(random.bytes(40)), package_type: "identity", ttl_seconds: minuteSeconds };
}

function download(harness: Harness, segment: string) {
  return harness.call("getInfoPackage", { params: { url_segment: segment } });
}
