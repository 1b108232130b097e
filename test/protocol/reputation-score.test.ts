import fc from "fast-check";
import { expect, test } from "vitest";
import { reputationScore, reputationStatus } from "../../src/protocol/reputation-score.js";

const clean = { delivered: 1000, rejected: 0, spamReports: 0, listings: 0 };

test.each([
  ["nothing against it", {}, 1],
  ["no traffic at all", { delivered: 0 }, 1],
  ["a tenth reported as spam", { spamReports: 100 }, 0.95],
  ["a tenth rejected", { rejected: 100 }, 0.97],
  ["two listings", { listings: 2 }, 0.9],
  ["nine listings, of which five count", { listings: 9 }, 0.75],
  ["twice as many rejected as delivered", { delivered: 100, rejected: 200 }, 0.4],
  ["nothing but rejections", { delivered: 0, rejected: 1000 }, 0],
  ["three reports of each message", { delivered: 100, spamReports: 150 }, 0.25],
  ["everything against it", { delivered: 1, rejected: 9, spamReports: 9, listings: 9 }, 0],
])("a server with %s scores as the formula says", (_, traffic, score) => {
  expect(reputationScore({ ...clean, ...traffic })).toBeCloseTo(score, 10);
});

test("a score lies between 0 and 1 and falls with each fault", () => {
  const count = fc.nat({ max: 5000 });
  const traffic = fc.record({ delivered: count, rejected: count, spamReports: count, listings: count });
  fc.assert(
    fc.property(traffic, (of) => {
      const score = reputationScore(of);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      for (const fault of ["rejected", "spamReports", "listings"] as const) {
        expect(reputationScore({ ...of, [fault]: of[fault] + 1 })).toBeLessThanOrEqual(score);
      }
    }),
  );
});

test.each([
  ["a clean server is active", clean, "active"],
  ["a server under 0.7 is limited", { ...clean, spamReports: 700 }, "limited"],
  ["a server under the threshold is blocked", { ...clean, spamReports: 1000, rejected: 1000 }, "blocked"],
  [
    "a server under 100 messages is left alone",
    { delivered: 50, rejected: 49, spamReports: 50, listings: 9 },
    "active",
  ],
])("%s", (_, traffic, status) => {
  const rules = { autoBlockThreshold: 0.3, limitedBelow: 0.7, minMessages: 100 };
  expect(reputationStatus(reputationScore(traffic), traffic, rules)).toBe(status);
});

test("a score that is the threshold itself is not under it", () => {
  const rules = { autoBlockThreshold: 0.3, limitedBelow: 0.7, minMessages: 100 };
  expect(reputationStatus(0.3, clean, rules)).toBe("limited");
  expect(reputationStatus(0.7, clean, rules)).toBe("active");
});
