import { deviceKeysOf } from "../../client/crypto/keys.js";
import { encodeBase64 } from "../../protocol/encodings.js";
import { LimitReached, refused, same, success } from "../harness/assertions.js";
import type { Harness, Rule } from "../harness/types.js";

export const provisioningRules: readonly Rule[] = [
  {
    id: "provisioning.once",
    title: "a blob can be uploaded once and downloaded once, and then its address no longer exists",
    source: "openapi: createProvisioning, putProvisioningBlob, pollProvisioningBlob",
    async check(harness) {
      const { id, token } = await open(harness);
      same(success(await poll(harness, { id, token }), 202).status, "pending", "status");
      const ciphertext = encodeBase64(harness.random.bytes(64));
      const put = { params: { id }, body: { ciphertext } };
      const bob = await harness.bob();
      same(success(await bob.call("putProvisioningBlob", put), 200).status, "stored", "status");
      refused(await bob.call("putProvisioningBlob", put), "CONFLICT");
      const got = success(await poll(harness, { id, token }), 200) as { ciphertext?: string };
      same(got.ciphertext, ciphertext, "the ciphertext");
      refused(await poll(harness, { id, token }), "NOT_FOUND");
    },
  },
  {
    id: "provisioning.token",
    title: "a blob cannot be downloaded without the poll token",
    source: "openapi: pollProvisioningBlob; errors.yaml: UNAUTHORIZED",
    async check(harness) {
      const { id } = await open(harness);
      refused(await poll(harness, { id, token: "00".repeat(32) }), "UNAUTHORIZED");
    },
  },
  {
    id: "provisioning.code",
    title: "a short code leads to the QR code, another code to nothing, and both once a blob was left",
    source: "openapi: createLinkingCode, getLinkingCode",
    async check(harness) {
      const { id, token } = await open(harness);
      const qr = encodeBase64(harness.random.bytes(64));
      const create = (pollToken: string) =>
        harness.call("createLinkingCode", { params: { id }, headers: { "X-Poll-Token": pollToken }, body: { qr } });
      refused(await create("00".repeat(32)), "UNAUTHORIZED");
      const { linking_code: code } = success(await create(token), 200);
      const other = code.startsWith("0") ? code.replace("0", "1") : code.replace(/^./, "0");
      same(success(await create(token), 200).linking_code, code, "the code of a repetition");
      const bob = await harness.bob();
      const find = (asked: string) => bob.call("getLinkingCode", { params: { code: asked } });
      same(success(await find(code), 200).qr, qr, "the text of the QR code");
      refused(await find(other), "NOT_FOUND");
      success(await bob.call("putProvisioningBlob", { params: { id }, body: { ciphertext: qr } }), 200);
      refused(await find(code), "NOT_FOUND");
    },
  },
  {
    id: "provisioning.wait",
    title: "a waiting poll is answered as soon as the blob arrives",
    source: "openapi: postProvisioningBlob, pollProvisioningBlob, wait",
    async check(harness) {
      const { id, token } = await open(harness);
      const began = performance.now();
      const waiting = poll(harness, { id, token, wait: 20 });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const body = { ciphertext: encodeBase64(harness.random.bytes(64)) };
      success(await (await harness.bob()).call("postProvisioningBlob", { params: { id }, body }), 200);
      success(await waiting, 200);
      const seconds = (performance.now() - began) / 1000;
      same(seconds < 15, true, `answered after ${seconds} seconds; early`);
    },
  },
  {
    id: "provisioning.unknown",
    title: "an unknown address is not found, and a lifetime of 29 or 301 seconds is refused",
    source: "openapi: pollProvisioningBlob, createProvisioning",
    async check(harness) {
      refused(await poll(harness, { id: harness.random.uuid(), token: "00".repeat(32) }), "NOT_FOUND");
      for (const ttl_seconds of [29, 301]) {
        refused(
          await harness.call("createProvisioning", { body: await requestOf(harness, ttl_seconds) }),
          "INVALID_REQUEST",
        );
      }
    },
  },
];

async function open(harness: Harness): Promise<{ id: string; token: string }> {
  const answer = await harness.call("createProvisioning", { body: await requestOf(harness, 60) });
  if (answer.status === 429) throw new LimitReached("this network address may open no more addresses for now");
  const { provisioning_address, poll_token } = success(answer, 200);
  return { id: provisioning_address.split("@")[0] ?? "", token: poll_token };
}

async function requestOf(harness: Harness, ttlSeconds: number) {
  const { publicKey } = deviceKeysOf(harness.random.bytes(32));
  const ephemeral_public_key = Buffer.from(publicKey).toString("hex");
  return { ephemeral_public_key, ttl_seconds: ttlSeconds, timestamp: await harness.now() };
}

function poll(harness: Harness, { id, token, wait }: { id: string; token: string; wait?: number }) {
  return harness.call("pollProvisioningBlob", {
    params: { id },
    headers: { "x-poll-token": token },
    ...(wait !== undefined && { query: { wait } }),
  });
}
