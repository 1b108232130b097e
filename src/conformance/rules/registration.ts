import { encodeHex } from "../../protocol/encodings.js";
import { announcementText, prefixAnnouncementText } from "../../protocol/signed-text.js";
import { hold, refused, same, success } from "../harness/assertions.js";
import type { Device, Harness, Rule } from "../harness/types.js";

export const registrationRules: readonly Rule[] = [
  {
    id: "registration.challenge",
    title: "a challenge is 32 random bytes for about five minutes, by POST and by GET",
    source: "openapi: createRegistrationChallenge, getRegistrationChallenge",
    async check(harness) {
      const { publicKey } = await harness.alice();
      const posted = success(
        await harness.call("createRegistrationChallenge", { body: { public_key: publicKey } }),
        200,
      );
      const got = success(await harness.call("getRegistrationChallenge", { query: { public_key: publicKey } }), 200);
      hold(posted.challenge !== got.challenge, "the same challenge came twice");
      const left = posted.expires_at - (await harness.now());
      hold(left > 60 && left <= 310, `it expires in ${left} seconds`);
    },
  },
  {
    id: "registration.address",
    title: "registering gives a random address at the server's domain and a token for a day",
    source: "openapi: announceWithProof",
    async check(harness) {
      const alice = await harness.alice();
      const [prefix = "", domain] = alice.address.split("@");
      same(domain, harness.domain, "the address's domain");
      hold(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(prefix), `${prefix} is no UUIDv4`);
      const left = (alice.client.session()?.expiresAt ?? 0) - (await harness.now());
      hold(left > 3_600 && left <= 86_400, `the token expires in ${left} seconds`);
      success(await alice.call("pollMessages"), 200);
    },
  },
  {
    id: "registration.device-id",
    title: "a device id that is not the hash of the key is refused",
    source: "openapi: announceWithProof, device_id",
    async check(harness) {
      const alice = await harness.alice();
      refused(await announce(harness, alice, { device_id: "ab".repeat(32) }), "INVALID_REQUEST");
    },
  },
  {
    id: "registration.signature",
    title: "an announcement with a signature of another key is refused",
    source: "openapi: announceWithProof, signature; errors.yaml: INVALID_SIGNATURE",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const text = announcementText({
        deviceId: alice.deviceId,
        timestamp: await harness.now(),
        audience: harness.domain,
      });
      refused(await announce(harness, alice, { signature: bob.sign(text) }), "INVALID_SIGNATURE");
      refused(await announce(harness, alice, { signature: "00".repeat(64) }), "INVALID_SIGNATURE");
    },
  },
  {
    id: "registration.timestamp",
    title: "an announcement older than 300 seconds or more than 60 ahead is refused with the server's time",
    source: "openapi: announceWithProof, timestamp",
    async check(harness) {
      const alice = await harness.alice();
      for (const shift of [-330, 120]) {
        const timestamp = (await harness.now()) + shift;
        const text = announcementText({ deviceId: alice.deviceId, timestamp, audience: harness.domain });
        const answer = await announce(harness, alice, { timestamp, signature: alice.sign(text) });
        refused(answer, "INVALID_REQUEST");
        hold(typeof answer.body["server_timestamp"] === "number", "there is no server_timestamp");
      }
    },
  },
  {
    id: "registration.audience",
    title: "an announcement that was signed for another server is refused",
    source: "openapi: announceWithProof, audience",
    async check(harness) {
      const alice = await harness.alice();
      const signed = { deviceId: alice.deviceId, timestamp: await harness.now(), audience: "elsewhere.example" };
      const different = { audience: signed.audience, signature: alice.sign(announcementText(signed)) };
      refused(await announce(harness, alice, { timestamp: signed.timestamp, ...different }), "INVALID_REQUEST");
    },
  },
  {
    id: "registration.prefixes",
    title: "a device claims addresses that it chose, and receives messages to them",
    source: "openapi: announceDevice",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const prefix = encodeHex(harness.random.bytes(16));
      const body = success(await announcePrefixes(harness, bob, [prefix]), 200);
      same(body.announced_addresses, [`${prefix}@${harness.domain}`], "announced_addresses");
      await bob.clear();
      const id = await alice.send(`${prefix}@${harness.domain}`);
      same(await bob.queue(), [id], "the queue");
      await bob.clear();
    },
  },
  {
    id: "registration.end-address",
    title: "a device lists its addresses and ends one, which is then answered like an unknown one",
    source: "openapi: listAddresses, endAddress; errors.yaml: ADDRESS_NOT_FOUND",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const listed = async () =>
        success(await bob.call("listAddresses"), 200).addresses.map(({ full_address: address }) => address);
      const isSpare = (address: string) => address !== bob.address;
      hold((await listed()).includes(bob.address), "the device's address is not listed");
      // An announcement is one of three in an hour, so an address of another rule is used.
      if (!(await listed()).some(isSpare))
        success(await announcePrefixes(harness, bob, [encodeHex(harness.random.bytes(16))]), 200);
      const address = (await listed()).find(isSpare) ?? "";
      const [prefix = ""] = address.split("@");
      const end = (device: Device, prefix: string) => device.call("endAddress", { params: { prefix } });
      refused(await end(alice, prefix), "ADDRESS_NOT_FOUND");
      same(success(await end(bob, prefix), 200).full_address, address, "full_address");
      hold(!(await listed()).includes(address), "the ended address is listed");
      for (const one of [prefix, encodeHex(harness.random.bytes(16))]) {
        refused(await end(bob, one), "ADDRESS_NOT_FOUND");
        const sent = await alice.call("sendMessage", { body: alice.message(`${one}@${harness.domain}`) });
        refused(sent, "ADDRESS_NOT_FOUND");
      }
    },
  },
  {
    id: "registration.taken",
    title: "an address of another device cannot be claimed",
    source: "openapi: announceDevice; errors.yaml: ADDRESS_TAKEN",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const prefix = (alice.address.split("@")[0] ?? "").replaceAll("-", "");
      refused(await announcePrefixes(harness, bob, [prefix]), "ADDRESS_TAKEN");
    },
  },
  {
    id: "registration.malformed-prefix",
    title: "a prefix that is not 16 bytes is refused",
    source: "openapi: announceDevice, delivery_address_prefixes",
    async check(harness) {
      const bob = await harness.bob();
      refused(await announcePrefixes(harness, bob, ["abc"]), "INVALID_ADDRESS", "INVALID_REQUEST");
    },
  },
  {
    id: "registration.refresh",
    title: "a refreshed token is valid, and the old one stays valid until it expires",
    source: "openapi: refreshDeviceToken",
    async check(harness) {
      const alice = await harness.alice();
      const body = success(await alice.call("refreshDeviceToken"), 200);
      hold(body.expires_at >= (alice.client.session()?.expiresAt ?? 0), "it expires earlier than the old one");
      success(await alice.call("pollMessages", { token: body.access_token }), 200);
      success(await alice.call("pollMessages"), 200);
    },
  },
  {
    id: "registration.revoke-others",
    title: "an announcement with revoke_others soon ends the device's other sessions",
    source: "openapi: announceWithProof, revoke_others",
    async check(harness) {
      const alice = await harness.alice();
      const old = alice.token();
      await alice.client.register({ admission: { by: "nothing" }, revokeOthers: true });
      await within(
        soonMillis,
        async () => (await alice.call("pollMessages", { token: old })).status === 401,
        "the old token is still good",
      );
      success(await alice.call("pollMessages"), 200);
    },
  },
];

interface AnnounceOptions {
  /** The time of signing: now by default. */
  at?: number;
  [member: string]: unknown;
}

/**
 * Announces a known device; members of `different` replace the valid ones. A signed announcement is valid once, so
 * several are signed for different seconds.
 */
export async function announce(harness: Harness, device: Device, { at, ...different }: AnnounceOptions = {}) {
  const signed = { deviceId: device.deviceId, timestamp: at ?? (await harness.now()), audience: harness.domain };
  const body = {
    device_id: device.deviceId,
    public_key: device.publicKey,
    timestamp: signed.timestamp,
    audience: harness.domain,
    signature: device.sign(announcementText(signed)),
    ...different,
  };
  return harness.call("announceWithProof", { body });
}

async function announcePrefixes(harness: Harness, device: Device, prefixes: string[]) {
  const { deviceId } = device;
  const signed = { deviceId, prefixes, timestamp: await harness.now(), audience: harness.domain };
  const body = {
    device_id: deviceId,
    delivery_address_prefixes: prefixes,
    timestamp: signed.timestamp,
    audience: harness.domain,
    signature: device.sign(prefixAnnouncementText(signed)),
  };
  return harness.call("announceDevice", { body });
}

/** How long to wait for changes that should take effect on every node within a second, because a server may be busy. */
export const soonMillis = 30_000;

/**
 * Waits until a condition holds on every node. The nodes are asked in turn, so it must send one request; each node may
 * take a second to apply a change.
 */
export async function onEveryNode(harness: Harness, holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  let nodes = 0;
  const holdsOnAll = async () => {
    nodes = (await holds()) ? nodes + 1 : 0;
    return nodes >= harness.target.urls.length;
  };
  await within(soonMillis, holdsOnAll, otherwise);
}

/** Waits for a condition that the server may meet with a delay. */
export async function within(millis: number, holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = performance.now() + millis;
  while (!(await holds())) {
    hold(performance.now() < deadline, otherwise);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
