import { expect, test } from "vitest";
import { doublingWait } from "../../src/protocol/doubling-wait.js";

test("a wait doubles with each failure, up to the longest one, after however many failures", () => {
  const waits = [0, 1, 2, 3, 4, 5, 10_000].map((failures) => doublingWait(failures, { first: 30, longest: 200 }));
  expect(waits).toEqual([30, 30, 60, 120, 200, 200, 200]);
});
