import { encodeHex } from "../../protocol/encodings.js";
import { announcementText, prefixAnnouncementText } from "../../protocol/signed-text.js";
import type { Device } from "../device.js";
import type { Ground } from "../ground.js";
import { hold, type Rule, refused, same, success } from "../rule.js";

export const registrationRules: readonly Rule[] = [
  {
    id: "registration.challenge",
    title: "a challenge is 32 random bytes for about five minutes, by POST and by GET",
    source: "openapi: createRegistrationChallenge, getRegistrationChallenge",
    async check(ground) {
      const { publicKey } = await ground.alice();
      const posted = success(
        await ground.call("createRegistrationChallenge", { body: { public_key: publicKey } }),
        200,
      );
      const got = success(await ground.call("getRegistrationChallenge", { query: { public_key: publicKey } }), 200);
      hold(posted.challenge !== got.challenge, "the same challenge came twice");
      const left = posted.expires_at - (await ground.now());
      hold(left > 60 && left <= 310, `it expires in ${left} seconds`);
    },
  },
  {
    id: "registration.address",
    title: "registering gives a random address at the server's domain and a token for a day",
    source: "openapi: announceWithProof",
    async check(ground) {
      const alice = await ground.alice();
      const [prefix = "", domain] = alice.address.split("@");
      same(domain, ground.domain, "the address's domain");
      hold(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(prefix), `${prefix} is no UUIDv4`);
      const left = (alice.client.session()?.expiresAt ?? 0) - (await ground.now());
      hold(left > 3_600 && left <= 86_400, `the token expires in ${left} seconds`);
      success(await alice.call("pollMessages"), 200);
    },
  },
  {
    id: "registration.device-id",
    title: "a device id that is not the hash of the key is refused",
    source: "openapi: announceWithProof, device_id",
    async check(ground) {
      const alice = await ground.alice();
      refused(await announce(ground, alice, { device_id: "ab".repeat(32) }), "INVALID_REQUEST");
    },
  },
  {
    id: "registration.signature",
    title: "an announcement that somebody else signed is refused",
    source: "openapi: announceWithProof, signature; errors.yaml: INVALID_SIGNATURE",
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      const text = announcementText({
        deviceId: alice.deviceId,
        timestamp: await ground.now(),
        audience: ground.domain,
      });
      refused(await announce(ground, alice, { signature: bob.sign(text) }), "INVALID_SIGNATURE");
      refused(await announce(ground, alice, { signature: "00".repeat(64) }), "INVALID_SIGNATURE");
    },
  },
  {
    id: "registration.timestamp",
    title: "an announcement older than 300 seconds or more than 60 ahead is refused, and told the server's time",
    source: "openapi: announceWithProof, timestamp",
    async check(ground) {
      const alice = await ground.alice();
      for (const shift of [-330, 120]) {
        const timestamp = (await ground.now()) + shift;
        const text = announcementText({ deviceId: alice.deviceId, timestamp, audience: ground.domain });
        const answer = await announce(ground, alice, { timestamp, signature: alice.sign(text) });
        refused(answer, "INVALID_REQUEST");
        hold(typeof answer.body["server_timestamp"] === "number", "there is no server_timestamp");
      }
    },
  },
  {
    id: "registration.audience",
    title: "an announcement that was signed for another server is refused",
    source: "openapi: announceWithProof, audience",
    async check(ground) {
      const alice = await ground.alice();
      const signed = { deviceId: alice.deviceId, timestamp: await ground.now(), audience: "elsewhere.example" };
      const different = { audience: signed.audience, signature: alice.sign(announcementText(signed)) };
      refused(await announce(ground, alice, { timestamp: signed.timestamp, ...different }), "INVALID_REQUEST");
    },
  },
  {
    id: "registration.prefixes",
    title: "a device takes addresses of its own choosing, and messages to them reach it",
    source: "openapi: announceDevice",
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      const prefix = encodeHex(ground.random.bytes(16));
      const body = success(await announcePrefixes(ground, bob, [prefix]), 200);
      same(body.announced_addresses, [`${prefix}@${ground.domain}`], "announced_addresses");
      await bob.clear();
      const id = await alice.send(`${prefix}@${ground.domain}`);
      same(await bob.queue(), [id], "the queue");
      await bob.clear();
    },
  },
  {
    id: "registration.taken",
    title: "an address that another device holds cannot be taken",
    source: "openapi: announceDevice; errors.yaml: ADDRESS_TAKEN",
    async check(ground) {
      const [alice, bob] = [await ground.alice(), await ground.bob()];
      const prefix = (alice.address.split("@")[0] ?? "").replaceAll("-", "");
      refused(await announcePrefixes(ground, bob, [prefix]), "ADDRESS_TAKEN");
    },
  },
  {
    id: "registration.malformed-prefix",
    title: "a prefix that is not 16 bytes is refused",
    source: "openapi: announceDevice, delivery_address_prefixes",
    async check(ground) {
      const bob = await ground.bob();
      refused(await announcePrefixes(ground, bob, ["abc"]), "INVALID_ADDRESS", "INVALID_REQUEST");
    },
  },
  {
    id: "registration.refresh",
    title: "a refreshed token is good, and the old one stays good until it expires",
    source: "openapi: refreshDeviceToken",
    async check(ground) {
      const alice = await ground.alice();
      const body = success(await alice.call("refreshDeviceToken"), 200);
      hold(body.expires_at >= (alice.client.session()?.expiresAt ?? 0), "it expires earlier than the old one");
      success(await alice.call("pollMessages", { token: body.access_token }), 200);
      success(await alice.call("pollMessages"), 200);
    },
  },
  {
    id: "registration.revoke-others",
    title: "an announcement with revoke_others ends the device's other sessions within a second",
    source: "openapi: announceWithProof, revoke_others",
    async check(ground) {
      const alice = await ground.alice();
      const old = alice.token();
      await alice.client.register({ admission: { by: "nothing" }, revokeOthers: true });
      await within(
        3_000,
        async () => (await alice.call("pollMessages", { token: old })).status === 401,
        "the old token is still good",
      );
      success(await alice.call("pollMessages"), 200);
    },
  },
];

/** Announces like a known device; members of `different` take the place of the right ones. */
export async function announce(ground: Ground, device: Device, different: object = {}) {
  const signed = { deviceId: device.deviceId, timestamp: await ground.now(), audience: ground.domain };
  const body = {
    device_id: device.deviceId,
    public_key: device.publicKey,
    timestamp: signed.timestamp,
    audience: ground.domain,
    signature: device.sign(announcementText(signed)),
    ...different,
  };
  return ground.call("announceWithProof", { body });
}

async function announcePrefixes(ground: Ground, device: Device, prefixes: string[]) {
  const { deviceId } = device;
  const signed = { deviceId, prefixes, timestamp: await ground.now(), audience: ground.domain };
  const body = {
    device_id: deviceId,
    delivery_address_prefixes: prefixes,
    timestamp: signed.timestamp,
    audience: ground.domain,
    signature: device.sign(prefixAnnouncementText(signed)),
  };
  return ground.call("announceDevice", { body });
}

/** Looks until something holds. For what a server may do a moment later. */
export async function within(millis: number, holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = performance.now() + millis;
  while (!(await holds())) {
    hold(performance.now() < deadline, otherwise);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
