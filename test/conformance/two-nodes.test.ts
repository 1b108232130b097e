import { afterAll, beforeAll, expect, test } from "vitest";
import { checkConformance } from "../../src/conformance/suite.js";
import { brokenRules, type Harness, startHarness } from "./harness.js";

// What holds for every operation alike is nothing that nodes share; LONG=1 checks it here too.
const options = process.env["LONG"] ? {} : { leaveOut: "general." };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ nodes: 2 });
});
afterAll(async () => harness.stop());

test("no rule is broken by two nodes on one database that are asked in turn", async () => {
  const report = await checkConformance(harness.target, options);
  const broken = brokenRules(report);
  expect(broken, broken.join("; ")).toEqual([]);
  expect(report.findings.filter(({ outcome }) => outcome === "holds").length).toBeGreaterThan(90);
});
