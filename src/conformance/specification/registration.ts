import { hold, NotChecked, same } from "../harness/assertions.js";
import { announcementOf, keepSession, newDevice, newUuid, proofFor } from "./device.js";
import { expectBody, expectRefusal, flag, list, text, whole } from "./server.js";
import type { SpecificationRule } from "./types.js";

const discovery = "Discovery and published block list";
const delay = "Device registration with proof of delay";
const prefixes = "Device announcement, variant with address prefixes";

export const registrationRules: readonly SpecificationRule[] = [
  {
    id: "discovery.document",
    title: "the discovery document says whether federation is on, and the limits of the stream",
    section: discovery,
    async check({ server }) {
      const body = expectBody(await server.call("GET", "/.well-known/svc"), 200);
      hold(flag(memberOf(body, "federation_enabled")), "federation_enabled is missing");
      const limits = ["max_connections_per_device", "max_message_backlog", "keepalive_interval_seconds"];
      for (const limit of [...limits, "connection_timeout_seconds"]) {
        hold(whole(memberOf(body, limit)), `${limit} is missing`);
      }
    },
  },
  {
    id: "discovery.block-list",
    title: "a published block list names the server, its version and the blocked domains, and is signed",
    section: discovery,
    async check({ server }) {
      const answer = await server.call("GET", "/.well-known/svc-blocklist");
      if (answer.status === 404) throw new NotChecked("the server publishes no block list");
      const form = { server: server.domain, blocklist_version: "1.0", blocked_servers: list, signature: text };
      expectBody(answer, 200, form);
    },
  },
  {
    id: "registration.proof",
    title: "a device registers with a proof of delay and gets an address at the server's domain and a token",
    section: delay,
    async check({ server, alice }) {
      const { address, token } = await alice();
      same(address.split("@")[1], server.domain, "the address's domain");
      expectBody(await server.call("GET", "/v1/messages", { token }), 200);
    },
  },
  {
    id: "registration.rotation",
    title: "a known device needs no proof, and gets a further address",
    section: delay,
    async check({ server, bob }) {
      const device = await bob();
      const before = device.address;
      await nextSecond(server.nowSeconds);
      keepSession(device, await server.call("POST", "/api/v1/announce", { body: announcementOf(server, device) }));
      hold(device.address !== before, "it is the same address");
    },
  },
  {
    id: "registration.device-id",
    title: "a device id that is not the Blake3 hash of the public key is refused",
    section: delay,
    async check({ server, alice }) {
      const body = announcementOf(server, await alice(), { device_id: "ab".repeat(32) });
      expectRefusal(await server.call("POST", "/api/v1/announce", { body }));
    },
  },
  {
    id: "registration.signature",
    title: "an announcement with another signature is refused",
    section: delay,
    async check({ server, alice }) {
      const body = announcementOf(server, await alice(), { signature: "00".repeat(64) });
      expectRefusal(await server.call("POST", "/api/v1/announce", { body }));
    },
  },
  {
    id: "registration.timestamp",
    title: "an announcement of more than 300 seconds ago is refused",
    section: delay,
    async check({ server, alice }) {
      const device = await alice();
      const timestamp = server.nowSeconds() - 400;
      const signature = device.sign(`${device.deviceId}:${timestamp}`);
      const body = announcementOf(server, device, { timestamp, signature });
      expectRefusal(await server.call("POST", "/api/v1/announce", { body }));
    },
  },
  {
    id: "registration.foreign-challenge",
    title: "a proof for another device's challenge is refused",
    section: delay,
    async check({ server, alice }) {
      const device = newDevice(server);
      const vdf_proof = await proofFor(server, await alice());
      // The server checks whose challenge it is before it checks the proof, so nobody is banned.
      const body = announcementOf(server, device, { vdf_proof });
      expectRefusal(await server.call("POST", "/api/v1/announce", { body }));
    },
  },
  {
    id: "prefixes.announced",
    title: "a device announces prefixes of its own and gets them with the server's domain, and a token",
    section: prefixes,
    async check({ server, bob }) {
      const device = await bob();
      const chosen = [server.randomHex(16), newUuid(server).replaceAll("-", "")];
      const timestamp = server.nowSeconds();
      const signature = device.sign(`${device.deviceId}.${chosen.join(",")}.${timestamp}`);
      const body = { device_id: device.deviceId, delivery_address_prefixes: chosen, timestamp, signature };
      const server_capabilities = {
        max_message_size: whole,
        federation_enabled: flag,
        supported_mls_versions: ["1.0"] as const,
      };
      const form = {
        status: "success",
        announced_addresses: list,
        access_token: text,
        expires_at: whole,
        server_capabilities,
      };
      const answer = await server.call("POST", "/api/v1/device/announce", { body });
      const { announced_addresses } = expectBody<{ announced_addresses: string[] }>(answer, 200, form);
      const expected = chosen.map((prefix) => `${prefix}@${server.domain}`);
      same(
        announced_addresses.map((one) => one.replaceAll("-", "")),
        expected.map((one) => one.replaceAll("-", "")),
        "announced_addresses",
      );
    },
  },
  {
    id: "prefixes.signature",
    title: "prefixes that the device has not signed are refused",
    section: prefixes,
    async check({ server, bob }) {
      const device = await bob();
      const prefix = server.randomHex(16);
      const body = {
        device_id: device.deviceId,
        delivery_address_prefixes: [prefix],
        timestamp: server.nowSeconds(),
        signature: device.sign(prefix),
      };
      expectRefusal(await server.call("POST", "/api/v1/device/announce", { body }));
    },
  },
];

/** A member at the top of a document or in one of its objects: the specification names these without a place. */
function memberOf(body: Readonly<Record<string, unknown>>, name: string): unknown {
  const objects = Object.values(body).filter((value): value is object => typeof value === "object" && value !== null);
  return [body, ...objects]
    .map((object) => (object as Record<string, unknown>)[name])
    .find((value) => value !== undefined);
}

/** A server may take each signed text once, and the text changes with the second. */
async function nextSecond(nowSeconds: () => number): Promise<void> {
  const before = nowSeconds();
  while (nowSeconds() === before) await new Promise((resolve) => setTimeout(resolve, 50));
}
