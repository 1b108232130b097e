import { afterAll, beforeAll, expect, test } from "vitest";
import type { Target } from "../../src/conformance/harness/types.js";
import { checkConformance } from "../../src/conformance/suite.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { administrators, brokenRules, listeningOrigin } from "./harness.js";

const keys = administrators();
let peers: PeerFixture;
let relay: PeerRelay;
let peer: PeerRelay;
beforeAll(async () => {
  peers = await createPeerFixture();
  relay = await peers.relay(keys.config);
  peer = await peers.relay();
});
afterAll(async () => peers.stop());

test("no rule is broken by a relay that federates with another one, which it delivers to and takes from", async () => {
  const target: Target = {
    ...keys.target,
    urls: [relay.url],
    domain: relay.domain,
    testProfile: true,
    peer: { url: peer.url, domain: peer.domain },
    origin: await listeningOrigin(peers.authority),
  };
  const report = await checkConformance(target, process.env["LONG"] ? {} : { leaveOut: "general." });
  const broken = brokenRules(report);
  expect(broken, broken.join("; ")).toEqual([]);
  const ofPeers = report.findings.filter(({ rule }) => rule.id.startsWith("peers."));
  expect(ofPeers.map(({ outcome }) => outcome)).toEqual(["holds", "holds", "holds"]);
  const ofDeliveries = report.findings.filter(({ rule }) => rule.id.startsWith("delivery."));
  expect(ofDeliveries.map(({ outcome }) => outcome)).toEqual(Array(6).fill("holds"));
});
