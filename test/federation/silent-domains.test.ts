import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { tableOf } from "../support/table.js";
import { eventually } from "./outbox-fixture.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";

let fixture: PeerFixture;
let dns: DnsServer;
let relay: PeerRelay;
let device: TestDevice;
const honest: PeerServer[] = [];

beforeAll(async () => {
  dns = await startDnsServer();
  dns.isSilent = (name) => name.startsWith("silent");
  fixture = await createPeerFixture();
  relay = await fixture.relay({
    ...{ dnsServers: [dns.address], dnsTimeoutSeconds: 60 },
    ...{ federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 },
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  device = await newDevice(relay);
  for (const host of ["one.example", "two.example", "three.example"]) {
    dns.names.set(host, "127.0.0.1");
    honest.push(await startPeerServer(fixture, host));
  }
});
afterAll(async () => {
  await fixture.stop();
  for (const peer of honest) await peer.stop();
  await dns.stop();
});

const silentNames = 24;
const send = async (domain: string): Promise<string> =>
  demand(await device.send(`00000000-0000-4000-8000-000000000001@${domain}`)).body.message_id;

it("a device that sends to silent domains delays no peer, known or new", async () => {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const [known, ...fresh] = honest as [PeerServer, ...PeerServer[]];
  try {
    const sent = [await send(known.domain)];
    await eventually(() => known.script.arrived.length === 1);
    for (let i = 0; i < silentNames; i++) await send(`silent${i}.example`);
    await eventually(() => new Set(dns.asked.filter((name) => name.startsWith("silent"))).size === silentNames);
    for (const peer of [...fresh, known]) sent.push(await send(peer.domain));
    const arrived = () => honest.flatMap(({ script }) => script.arrived).map((message) => message.message_id);
    await eventually(() => arrived().length === sent.length);
    expect(new Set(arrived())).toEqual(new Set(sent));
    // None of the silent ones has been given up meanwhile: nobody waited for their end.
    const silent = await tableOf(db, "outbox_destinations").whereLike("domain", "silent%");
    expect(silent.map(({ failures, lease_node: node }) => ({ failures, held: node !== null }))).toEqual(
      Array.from({ length: silentNames }, () => ({ failures: 0, held: true })),
    );
  } finally {
    await db.close();
  }
});
