import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../src/conformance/report/findings.js";
import { checkSpecification, specificationRules } from "../../src/conformance/specification/suite.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { administrators, brokenRules, listeningOrigin } from "./harness.js";

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
  const origin = await listeningOrigin(fixture.authority);
  const target = { url: relay.url, domain: relay.domain, ...keys.target, testProfile: true, origin };
  report = await checkSpecification(target);
});
afterAll(async () => fixture?.stop());

test("this relay keeps every rule of the specification towards a client and a peer that know nothing else", () => {
  const broken = brokenRules(report);
  expect(broken, broken.join("; ")).toEqual([]);
  const unchecked = report.findings.filter(({ outcome }) => outcome === "not checked");
  expect(unchecked.map(({ rule, reason }) => `${rule.id}: ${reason}`)).toEqual([]);
});

test("no rule holds for a server that answers everything with an empty object", async () => {
  const server = createServer((_, response) => response.setHeader("content-type", "application/json").end("{}"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { findings } = await checkSpecification({ url, ...keys.target, testProfile: true });
    expect(findings.filter(({ outcome }) => outcome === "holds").map(({ rule }) => rule.id)).toEqual([]);
  } finally {
    server.close();
  }
});

test("rules have ids of their own", () => {
  expect(new Set(specificationRules.map(({ id }) => id)).size).toBe(specificationRules.length);
});
