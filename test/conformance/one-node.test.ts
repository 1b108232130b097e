import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import type { Report } from "../../src/conformance/report/findings.js";
import { checkConformance } from "../../src/conformance/suite.js";
import { brokenRules, type Harness, startHarness } from "./harness.js";

let harness: Harness;
let report: Report;
beforeAll(async () => {
  harness = await startHarness();
  report = await checkConformance(harness.target);
});
afterAll(async () => harness.stop());

test("no rule is broken by a relay of one node", () => {
  const broken = brokenRules(report);
  expect(broken, broken.join("; ")).toEqual([]);
});

test("every rule but those about a peer, and about deliveries to the suite, is checked", () => {
  const unchecked = report.findings.filter(({ outcome }) => outcome === "not checked").map(({ rule }) => rule.id);
  const others = report.findings.map(({ rule }) => rule.id).filter((id) => /^(peers|delivery)\./.test(id));
  expect(unchecked).toEqual(others);
});

test("every operation of the contract is answered with success", () => {
  // The code of a link comes from the server's own terminal; a list exists only where a peer publishes one.
  // A subscription takes a push service that the server can reach.
  const pushes = [
    "subscribeToPush",
    "getPushSubscription",
    "confirmPushSubscription",
    "testPushSubscription",
    "testDevicePush",
  ];
  const outOfReach = ["loginWithLink", "getPeerBlocklist", ...pushes];
  const reachable = Object.keys(routes).filter((operation) => !outOfReach.includes(operation));
  expect(report.succeeded.filter((operation) => !outOfReach.includes(operation))).toEqual(reachable.sort());
});
