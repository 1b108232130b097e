import { deviceKeysOf } from "../../client/crypto/keys.js";
import { encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { hold, NotChecked, same } from "../harness/assertions.js";
import { newUuid } from "./device.js";
import { type Answer, expectBody, expectRefusal, text, whole, within } from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const sealed = "Info packages (client-encrypted variant, primary)";
const revocable = "Info packages (revocation-token variant)";
const older = "Info packages (server-encrypting variant, older)";

export const packageRules: readonly SpecificationRule[] = [
  {
    id: "keypackages.once",
    title: "each key package is given out once",
    section: "KeyPackages",
    async check(context) {
      const [alice, bob] = [await context.alice(), await context.bob()];
      const key_packages = [bytes(context, 200), bytes(context, 200)];
      const timestamp = context.server.nowSeconds();
      const signature = bob.sign(`${bob.deviceId}.${key_packages.join(",")}.${timestamp}`);
      const body = { device_id: bob.deviceId, key_packages, signature, timestamp };
      const uploaded = await bob.call("POST", "/api/v1/keypackage/upload", { body });
      if (uploaded.status === 403 || uploaded.status === 401)
        throw new NotChecked(
          "the specification does not say what an upload signs, and the server means something else",
        );
      expectBody(uploaded, uploaded.status < 300 ? uploaded.status : 200);
      const got: unknown[] = [];
      for (const remaining of [1, 0]) {
        const answer = await alice.call("GET", `/api/v1/keypackage/fetch?device_id=${bob.deviceId}`);
        got.push(expectBody(answer, 200, { device_id: bob.deviceId, key_package: text, remaining })["key_package"]);
      }
      same(got.toSorted(), key_packages.toSorted(), "the packages");
      expectRefusal(await alice.call("GET", `/api/v1/keypackage/fetch?device_id=${bob.deviceId}`));
    },
  },
  {
    id: "keypackages.signature",
    title: "key packages that the device has not signed, or of another device, are refused",
    section: "KeyPackages",
    async check(context) {
      const [alice, bob] = [await context.alice(), await context.bob()];
      const timestamp = context.server.nowSeconds();
      const key_packages = [bytes(context, 200)];
      const signature = bob.sign(`${bob.deviceId}.${key_packages.join(",")}.${timestamp}`);
      const body = { device_id: bob.deviceId, key_packages, signature, timestamp };
      expectRefusal(
        await bob.call("POST", "/api/v1/keypackage/upload", { body: { ...body, timestamp: timestamp - 1 } }),
      );
      expectRefusal(await alice.call("POST", "/api/v1/keypackage/upload", { body }));
      expectRefusal(await alice.call("GET", `/api/v1/keypackage/fetch?device_id=${"ab".repeat(32)}`));
    },
  },
  {
    id: "infopackages.counted",
    title: "each download takes one use, and the answer says how many are left",
    section: sealed,
    async check(context) {
      const { upload, path } = await primary(context);
      const segment = await upload({ max_uses: 3 });
      for (const remaining_uses of [2, 1])
        expectBody(await context.server.call("GET", path(segment)), 200, { remaining_uses });
    },
  },
  {
    id: "infopackages.unknown",
    title: "an unknown package is NOT_FOUND (404)",
    section: sealed,
    async check({ server, bob }) {
      const path = `/v1/infopackages/${newUuid(server)}`;
      expectRefusal(await server.call("GET", path), { status: 404, error: "NOT_FOUND" });
      expectRefusal(await (await bob()).call("DELETE", path), { status: 404, error: "NOT_FOUND" });
    },
  },
  {
    id: "infopackages.token",
    title: "uploading needs a device's token",
    section: sealed,
    async check({ server, ...context }) {
      const body = { ciphertext: bytes({ server, ...context }, 40), package_type: "identity", ttl_seconds: 60 };
      expectRefusal(await server.call("POST", "/v1/infopackages/upload", { body }));
    },
  },
  {
    id: "infopackages.max-uses",
    title: "fewer uses than one or more than 1000 are refused",
    section: sealed,
    async check(context) {
      const bob = await context.bob();
      for (const max_uses of [0, 1001]) {
        const body = { ciphertext: bytes(context, 40), package_type: "identity", ttl_seconds: 60, max_uses };
        expectRefusal(await bob.call("POST", "/v1/infopackages/upload", { body }));
      }
    },
  },
  {
    id: "infopackages.uses",
    title: "a package with one use is downloaded once, then INFOPACKAGE_EXHAUSTED (410)",
    section: sealed,
    async check(context) {
      const { bob, ciphertext, upload, path } = await primary(context);
      const segment = await upload({ max_uses: 1 });
      const form = { ciphertext, package_type: "identity", created_at: whole, expires_at: whole, remaining_uses: 0 };
      expectBody(await context.server.call("GET", path(segment)), 200, form);
      const next = await context.server.call("GET", path(segment));
      expectRefusal(next, next.status === 404 ? { status: 404 } : { status: 410, error: "INFOPACKAGE_EXHAUSTED" });
      hold(bob.token !== "", "the uploader has a token");
    },
  },
  {
    id: "infopackages.revoke",
    title: "only the uploader revokes a package: UNAUTHORIZED (403) for others, NOT_FOUND (404) afterwards",
    section: sealed,
    async check(context) {
      const { bob, upload, path } = await primary(context);
      const alice = await context.alice();
      const segment = await upload({});
      expectRefusal(await alice.call("DELETE", path(segment)), { status: 403, error: "UNAUTHORIZED" });
      expectBody(await context.server.call("GET", path(segment)), 200, { remaining_uses: null });
      expectBody(await bob.call("DELETE", path(segment)), 200, { revoked: true, revoked_at: whole });
      expectRefusal(await context.server.call("GET", path(segment)), { status: 404, error: "NOT_FOUND" });
    },
  },
  {
    id: "infopackages.lifetime",
    title: "a lifetime below a minute or above 30 days is INVALID_CONFIG (4013)",
    section: sealed,
    async check(context) {
      const bob = await context.bob();
      for (const ttl_seconds of [59, 2_592_001]) {
        const body = { ciphertext: bytes(context, 40), package_type: "identity", ttl_seconds };
        const answer = await bob.call("POST", "/v1/infopackages/upload", { body });
        expectRefusal(answer, { status: 400, error: "INVALID_CONFIG", code: 4013 });
      }
    },
  },
  {
    id: "infopackages.revocation-token",
    title: "an anonymous package is revoked with its revocation token only",
    section: revocable,
    async check({ server, ...context }) {
      const ciphertext = bytes({ server, ...context }, 40);
      const made = await server.call("POST", "/api/v1/infopackages", { body: { ciphertext, ttl_seconds: 60 } });
      const form = { url: /^https?:/, revocation_token: text, expires_at: whole };
      const { url, revocation_token } = expectBody<{ url: string; revocation_token: string }>(
        made,
        made.status === 201 ? 201 : 200,
        form,
      );
      const path = `/api/v1/infopackages/${url.split("/").at(-1)}`;
      expectBody(await server.call("GET", path), 200, { ciphertext, created_at: whole });
      const revoke = (token: string) => server.call("DELETE", path, { headers: { "x-revocation-token": token } });
      expectRefusal(await revoke("00".repeat(32)));
      const done: Answer = await revoke(revocation_token);
      hold(done.status >= 200 && done.status < 300, `the token was refused: ${done.status}`);
      expectRefusal(await server.call("GET", path), { status: 404 });
    },
  },
  {
    id: "infopackages.anonymous-limits",
    title: "an anonymous package is downloaded as often as it has uses, and lives for a minute to 30 days",
    section: revocable,
    async check({ server, ...context }) {
      const ciphertext = bytes({ server, ...context }, 40);
      const upload = (more: object) =>
        server.call("POST", "/api/v1/infopackages", { body: { ciphertext, ttl_seconds: 60, ...more } });
      const made = await upload({ max_uses: 1 });
      const { url } = expectBody<{ url: string }>(made, made.status === 201 ? 201 : 200, { max_uses: 1 });
      const path = `/api/v1/infopackages/${url.split("/").at(-1)}`;
      expectBody(await server.call("GET", path), 200, { ciphertext });
      expectRefusal(await server.call("GET", path));
      for (const wrong of [{ ttl_seconds: 59 }, { ttl_seconds: 2_592_001 }, { max_uses: 1001 }])
        expectRefusal(await upload(wrong));
    },
  },
  {
    id: "infopackages.server-encrypted",
    title: "a package that the server encrypts is answered with its address, key and payload of the code",
    section: older,
    async check(context) {
      const bob = await context.bob();
      const body = { package_type: "identity", content: { name: "conformance" }, ttl_seconds: 60 };
      const made = await bob.call("POST", "/v1/info-packages/upload", { body });
      const form = {
        url: /^https?:/,
        decryption_key: text,
        expires_at: whole,
        qr_data: (value: unknown) => value !== undefined,
      };
      const { url } = expectBody<{ url: string }>(made, made.status === 201 ? 201 : 200, form);
      const path = `/v1/info-packages/${url.split("/").at(-1)}`;
      expectBody(await context.server.call("GET", path), 200, {
        ciphertext: text,
        package_type: "identity",
        created_at: whole,
      });
      const done = await bob.call("DELETE", path);
      hold(done.status >= 200 && done.status < 300, `the uploader was refused: ${done.status}`);
      expectRefusal(await context.server.call("GET", path), { status: 404 });
    },
  },
  {
    id: "provisioning.address",
    title: "a new device gets an address for its linking and the time when it ends",
    section: "Device linking",
    async check({ server }) {
      const { publicKey } = deviceKeysOf(Buffer.from(server.randomHex(32), "hex"));
      const body = { ephemeral_public_key: encodeHex(publicKey), ttl_seconds: 300, timestamp: server.nowSeconds() };
      const answer = await server.call("POST", "/api/v1/provisioning/create", { body });
      expectBody(answer, answer.status === 201 ? 201 : 200, {
        provisioning_address: text,
        expires_at: within(server, 300, 60),
      });
    },
  },
];

async function primary(context: SpecificationContext) {
  const bob = await context.bob();
  const ciphertext = bytes(context, 40);
  return {
    bob,
    ciphertext,
    path: (segment: string) => `/v1/infopackages/${segment}`,
    async upload(more: object): Promise<string> {
      const body = { ciphertext, package_type: "identity", ttl_seconds: 60, ...more };
      const answer = await bob.call("POST", "/v1/infopackages/upload", { body });
      const form = { url_segment: /^[0-9a-f-]{36}$/, expires_at: whole };
      return expectBody<{ url_segment: string }>(answer, 200, form).url_segment;
    },
  };
}

function bytes({ server }: Pick<SpecificationContext, "server">, length: number): string {
  return encodeBase64(Buffer.from(server.randomHex(length), "hex"));
}
