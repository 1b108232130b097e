import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { eventually } from "./outbox-fixture.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";

// Strangers decide which domains a relay looks up. Here they own domains whose documents lead to the host of another relay.

let fixture: PeerFixture;
let here: PeerRelay;
let there: PeerRelay;
let member: TestDevice;
const peers: PeerServer[] = [];

const patient = { federationConnectTimeoutSeconds: 60, federationRequestTimeoutSeconds: 60 };
const usualLimits = {
  federationChallengesPerOriginMinute: 60,
  federationChallengesPerIpMinute: 240,
  federationAuthenticationsPerOriginMinute: 60,
  federationAuthenticationsPerIpMinute: 240,
};

beforeAll(async () => {
  fixture = await createPeerFixture();
  here = await fixture.relay({
    ...patient,
    peerSlotReadsPerMinute: 10_000,
    peerSlotReadsPerIpMinute: 10_000,
    federationSlotTimeoutSeconds: 60,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  there = await fixture.relay({ ...patient, ...usualLimits });
  member = await newDevice(here);
});
afterAll(async () => {
  for (const peer of peers) await peer.stop();
  await fixture.stop();
});

async function startPeer(): Promise<PeerServer> {
  const peer = await startPeerServer(fixture);
  peer.capabilities = { federated_slots: true };
  peers.push(peer);
  return peer;
}

async function read(domain: string): Promise<string> {
  const params = { slot: randomBytes(32).toString("hex") };
  const { status, body } = await call(here, "getSlot", { token: member.token, params, query: { domain } });
  return `${status} ${body.error}`;
}

describe("a domain whose document leads to the host of another relay", () => {
  it("does not use up the sessions that this relay needs there", async () => {
    const strangers = await Promise.all(Array.from({ length: 8 }, startPeer));
    for (const stranger of strangers) stranger.federationUrl = `https://${there.domain}`;
    const readings = strangers.flatMap(({ domain }) => Array.from({ length: 10 }, () => domain));
    for (let n = 0; n < readings.length; n += 8) {
      const outcomes = await Promise.all(readings.slice(n, n + 8).map(read));
      expect(new Set(outcomes)).toEqual(new Set(["503 PEER_UNAVAILABLE"]));
    }

    const neighbour = await newDevice(there);
    expect((await member.send(neighbour.address)).status).toBe(202);
    await eventually(async () => (await neighbour.poll()).body.messages.length === 1);
  });

  it("is called there without a limit once it has had a session there", async () => {
    const [named, shared] = [await startPeer(), await startPeer()];
    named.federationUrl = `https://${shared.domain}`;
    here.clock.advance(61);
    let refusals = 0;
    shared.disturb = (_, response) => {
      if (shared.script.arrived.length < shared.tokens) return false;
      refusals++;
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":"INVALID_TOKEN","code":4008}');
      return true;
    };
    for (let n = 1; n <= 8; n++) {
      expect((await member.send(`00000000-0000-4000-8000-000000000001@${named.domain}`)).status).toBe(202);
      await eventually(async () => shared.script.arrived.length === n);
    }
    expect([refusals, shared.tokens]).toEqual([7, 8]);
  });
});

it("a peer that refuses a session is asked again after a minute", async () => {
  const peer = await startPeer();
  peer.sessionStatus = 403;
  const sessions = () => peer.asked.filter((path) => path === routes.authenticateServer.path).length;
  for (let n = 0; n < 5; n++) expect(await read(peer.domain)).toBe("503 PEER_UNAVAILABLE");
  expect(sessions()).toBe(1);
  peer.sessionStatus = 200;
  here.clock.advance(61);
  await read(peer.domain);
  expect(sessions()).toBe(2);
});
