import { afterAll, beforeAll, expect, test } from "vitest";
import { checkConformance } from "../../src/conformance/suite.js";
import { type Ground, startGround } from "./ground.js";

// What holds for every operation alike is nothing that nodes share; LONG=1 checks it here too.
const options = process.env["LONG"] ? {} : { leaveOut: "general." };

let ground: Ground;
beforeAll(async () => {
  ground = await startGround({ nodes: 2 });
});
afterAll(async () => ground.stop());

test("no rule is broken by two nodes on one database that are asked in turn", async () => {
  const { findings } = await checkConformance(ground.target, options);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(findings.filter(({ verdict }) => verdict === "holds").length).toBeGreaterThan(90);
}, 180_000);
