import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accessFaults } from "./access.js";
import { promiseFaults } from "./promises.js";
import { ruleFaults } from "./rules.js";

test.each([...accessFaults, ...promiseFaults, ...ruleFaults])("$name: its line occurs exactly once", ({
  file,
  find,
}) => {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  expect(source.split(find).length - 1).toBe(1);
});
