import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { eventually } from "./outbox-fixture.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";

const keys = adminKeys("all");

let fixture: PeerFixture;
let dns: DnsServer;
let relay: PeerRelay;
let device: TestDevice;
/** The host that the others share. */
let shared: PeerServer;
let one: PeerServer;
let other: PeerServer;

beforeAll(async () => {
  dns = await startDnsServer();
  fixture = await createPeerFixture();
  relay = await fixture.relay({
    ...{ dnsServers: [dns.address], dnsTimeoutSeconds: 60 },
    ...{ federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 },
    adminList: keys.seed,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  device = await newDevice(relay);
  const start = (host: string) => {
    dns.names.set(host, "127.0.0.1");
    return startPeerServer(fixture, host);
  };
  [shared, one, other] = [await start("host.example"), await start("one.example"), await start("other.example")];
  for (const tenant of [one, other]) tenant.federationUrl = `https://${shared.domain}`;
});
afterAll(async () => {
  await fixture.stop();
  for (const peer of [shared, one, other]) await peer.stop();
  await dns.stop();
});

async function send(domain: string): Promise<void> {
  demand(await device.send(`00000000-0000-4000-8000-000000000001@${domain}`));
}

it("a block of one domain at a shared host cuts no delivery to another domain there", async () => {
  const arrived = () => shared.script.arrived.length;
  // Both domains use the same kept connection.
  await send(one.domain);
  await eventually(async () => arrived() === 1);
  await send(other.domain);
  await eventually(async () => arrived() === 2);

  const held: ServerResponse[] = [];
  shared.disturb = (request, response) => {
    request.resume();
    held.push(response);
    return true;
  };
  await send(one.domain);
  await eventually(async () => held.length === 1);
  await send(other.domain);
  await eventually(async () => held.length === 2);
  const body = { server_domain: "other.example", reason: "spam" };
  const { token } = await logIn(relay, keys);
  expect((await call(relay, "blockServer", { token, body })).status).toBe(200);
  await eventually(async () => held[1]?.destroyed === true);
  expect(held[0]?.destroyed).toBe(false);
});
