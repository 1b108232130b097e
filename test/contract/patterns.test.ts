import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// V8 ceases to optimize regular expressions in a process that has compiled many. A loop of one or more then takes stack
// for every character, and a message of a few megabytes is an internal error; a loop of none or more does not.

const largestText = 14_000_000;
const contract = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));

test("no pattern of a text that may be long runs out of stack where V8 does not optimize it", () => {
  const patterns = [...new Set(patternsOfLongTexts(contract))];
  expect(patterns.length).toBeGreaterThan(0);
  const script = `
    const text = "QUJD".repeat(${largestText / 4});
    for (const pattern of ${JSON.stringify(patterns)}) new RegExp(pattern, "u").test(text);
  `;
  const { status, stderr } = spawnSync(process.execPath, ["--no-regexp-optimization", "-e", script], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

function patternsOfLongTexts(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { pattern, maxLength } = part as { pattern?: unknown; maxLength?: number };
  const own = typeof pattern === "string" && !(maxLength !== undefined && maxLength <= 100_000) ? [pattern] : [];
  return [...own, ...Object.values(part).flatMap(patternsOfLongTexts)];
}
