import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { permissions } from "../../src/admin/service.js";
import { rulesByName } from "../../src/settings/table.js";
import { rangeText } from "../../src/settings/validation.js";

const linesOf = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8").split("\n");
const manual = linesOf("how-to/administration.md");
const limits = linesOf("reference/limits.md");

test.each([...rulesByName])("the manual describes %s", (name, rule) => {
  const values = rangeText(rule).replaceAll("|", "/");
  const numbers = /^(?:integer|number) (.*)$/.exec(values)?.[1];
  const page = numbers === undefined ? manual : limits;
  expect(page).toContain(`| \`${name}\` | ${rule.initial} | ${numbers ?? values} | ${rule.description} |`);
});

test.each(permissions)("the manual describes what %s permits", (permission) => {
  expect(manual.some((line) => line.startsWith(`| \`${permission}\` | `))).toBe(true);
});
