import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { permissions } from "../../src/admin/service.js";
import { rulesByName } from "../../src/settings/table.js";
import { rangeText } from "../../src/settings/validation.js";

const manual = readFileSync(new URL("../../docs/how-to/administration.md", import.meta.url), "utf8").split("\n");

test.each([...rulesByName])("the manual describes %s", (name, rule) => {
  const values = rangeText(rule).replaceAll("|", "/");
  expect(manual).toContain(`| \`${name}\` | ${rule.initial} | ${values} | ${rule.description} |`);
});

test.each(permissions)("the manual describes what %s permits", (permission) => {
  expect(manual.some((line) => line.startsWith(`| \`${permission}\` | `))).toBe(true);
});
