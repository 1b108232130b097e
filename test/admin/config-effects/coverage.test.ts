import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rulesByName } from "../../../src/settings/table.js";

test("every key of the configuration has a test of its effect", () => {
  const here = new URL("./", import.meta.url);
  const files = readdirSync(here).filter((file) => file.endsWith(".test.ts") && file !== "coverage.test.ts");
  const titles = files.flatMap((file) => {
    const text = readFileSync(new URL(file, here), "utf8");
    return [...text.matchAll(/^\s*(?:test|it)\("(\S+)/gm)].map(([, name]) => name);
  });
  expect(titles.sort()).toEqual([...rulesByName.keys()].sort());
});
