import { afterAll, beforeAll, expect, test } from "vitest";
import { checkConformance } from "../../src/tools/conformance/suite.js";
import { type Harness, startHarness } from "./harness.js";

// What holds for every operation alike is nothing that nodes share; LONG=1 checks it here too.
const options = process.env["LONG"] ? {} : { leaveOut: "general." };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ nodes: 2 });
});
afterAll(async () => harness.stop());

test("no rule is broken by two nodes on one database that are asked in turn", async () => {
  const { findings } = await checkConformance(harness.target, options);
  expect(findings.filter(({ outcome }) => outcome === "broken")).toEqual([]);
  expect(findings.filter(({ outcome }) => outcome === "holds").length).toBeGreaterThan(90);
}, 180_000);
