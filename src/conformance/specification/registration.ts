import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { hold, NotChecked, same } from "../harness/assertions.js";
import { announcementOf, keepSession, newDevice, newUuid, proofFor, type SpecificationDevice } from "./device.js";
import { expectBody, expectRefusal, flag, list, text, whole, within } from "./server.js";
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
      const entry = { domain: text, reason_category: text, severity: text, blocked_since: whole };
      const about = { server: server.domain, blocklist_version: "1.0", last_updated: whole };
      const form = { ...about, blocked_servers: [entry] as const, signature: text };
      expectBody(answer, 200, form);
    },
  },
  {
    id: "registration.challenge",
    title: "a challenge has 32 bytes and is valid for five minutes",
    section: delay,
    async check({ server }) {
      const body = { public_key: newDevice(server).publicKey };
      const form = { challenge: /^[0-9a-f]{64}$/, iterations: whole, expires_at: within(server, 300, 60) };
      expectBody(await server.call("POST", "/api/v1/announce/challenge", { body }), 200, form);
    },
  },
  {
    id: "registration.proof",
    title: "a device registers with a delay proof and gets an address at the server's domain and a token",
    section: delay,
    async check({ server, alice }) {
      const { address, token } = await alice();
      same(address.split("@")[1], server.domain, "the address's domain");
      expectBody(await server.call("GET", "/v1/messages", { token }), 200);
    },
  },
  {
    id: "registration.rotation",
    title: "a known device needs no proof, and gets a further address for a day",
    section: delay,
    async check({ server, bob }) {
      const device = await bob();
      const before = device.address;
      await nextSecond(server.nowSeconds);
      const answer = await server.call("POST", "/api/v1/announce", { body: announcementOf(server, device) });
      keepSession(device, answer);
      expectBody(answer, 200, { expires_at: within(server, daySeconds, hourSeconds) });
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
    title: "a device that announces its prefixes gets them back with the server's domain, and a token",
    section: prefixes,
    async check({ server, bob }) {
      const device = await bob();
      const chosen = [server.randomHex(16), newUuid(server).replaceAll("-", "")];
      const body = prefixAnnouncement(device, chosen, server.nowSeconds());
      const server_capabilities = {
        max_message_size: whole,
        federation_enabled: flag,
        supported_mls_versions: ["1.0"] as const,
      };
      const form = {
        status: "success",
        announced_addresses: list,
        access_token: text,
        expires_at: within(server, daySeconds, hourSeconds),
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
  {
    id: "prefixes.timestamp",
    title: "prefixes that were signed more than 300 seconds ago, or more than 60 ahead, are refused",
    section: prefixes,
    async check({ server, bob }) {
      for (const seconds of [-400, 120]) {
        const body = prefixAnnouncement(await bob(), [server.randomHex(16)], server.nowSeconds() + seconds);
        expectRefusal(await server.call("POST", "/api/v1/device/announce", { body }));
      }
    },
  },
  {
    id: "prefixes.limit",
    title: "a device cannot have eleven active addresses",
    section: prefixes,
    async check({ server, bob }) {
      const many = Array.from({ length: 11 }, () => server.randomHex(16));
      const answer = await server.call("POST", "/api/v1/device/announce", {
        body: prefixAnnouncement(await bob(), many, server.nowSeconds()),
      });
      hold(answer.status >= 400 && answer.status < 500, `expected a refusal, got ${answer.status}`);
    },
  },
];

function prefixAnnouncement(device: SpecificationDevice, chosen: string[], timestamp: number) {
  const signature = device.sign(`${device.deviceId}.${chosen.join(",")}.${timestamp}`);
  return { device_id: device.deviceId, delivery_address_prefixes: chosen, timestamp, signature };
}

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
