import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../src/conformance/report/findings.js";
import { checkSpecification, specificationRules } from "../../src/conformance/specification/suite.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { administrators, brokenRules } from "./harness.js";

const keys = administrators();
let fixture: PeerFixture;
let report: Report;
beforeAll(async () => {
  fixture = await createPeerFixture();
  const seeds = {
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
    SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1000",
    SEED_FEDERATION_PUBLISH_BLOCKLIST: "true",
  };
  const relay = await fixture.relay({ ...keys.config, seeds });
  const port = await freePort();
  const { cert, key } = await fixture.authority.issue({ hosts: ["localhost"] });
  const origin = { domain: `localhost:${port}`, cert, key, listen: { host: "127.0.0.1", port } };
  const target = { url: relay.url, domain: relay.domain, adminKeys: keys.target.adminKeys, origin };
  report = await checkSpecification(target);
});
afterAll(async () => fixture?.stop());

test("this relay keeps every rule of the specification towards a client and a peer that know nothing else", () => {
  const broken = brokenRules(report);
  expect(broken, broken.join("; ")).toEqual([]);
  const unchecked = report.findings.filter(({ outcome }) => outcome === "not checked");
  expect(unchecked.map(({ rule, reason }) => `${rule.id}: ${reason}`)).toEqual([]);
});

test("rules have ids of their own", () => {
  expect(new Set(specificationRules.map(({ id }) => id)).size).toBe(specificationRules.length);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
