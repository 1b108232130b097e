import { expect, test } from "vitest";
import { isStoppedByLimits, type Report } from "../../src/conformance/report/findings.js";
import { rules } from "../../src/conformance/rules.js";
import { checkConformance } from "../../src/conformance/suite.js";
import { startRelay } from "../support/relay.js";
import { brokenRules } from "./harness.js";

test("a run that has nothing but the address breaks no rule, and neither does another one at once", async () => {
  const fresh = await startRelay({ firstAnnouncementsPerIpHour: 3, challengesPerIpHour: 10 });
  try {
    const target = { urls: [fresh.url], domain: fresh.config.domain };
    const first = await checkConformance(target);
    expect(brokenRules(first)).toEqual([]);
    const second = await checkConformance(target);
    expect(brokenRules(second)).toEqual([]);
    const [held, heldLater] = [first, second].map(countOfHeld);
    expect(held).toBeGreaterThan(rules.length / 2);
    expect(heldLater).toBeLessThan(held ?? 0);
    expect([first, second].map(isStoppedByLimits)).toEqual([false, true]);
  } finally {
    await fresh.stop();
  }
});

function countOfHeld({ findings }: Report): number {
  return findings.filter(({ outcome }) => outcome === "holds").length;
}
