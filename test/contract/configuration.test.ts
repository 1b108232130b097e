import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { settingsTable } from "../../generated/settings.js";
import { rulesByName } from "../../src/settings/table.js";

// The contract's schema of the settings is their source. What is made of it must say the same: the schema of a change, and
// the rules of the server.
interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  "x-error"?: string;
}

const document = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
const schemas: Record<string, Schema> = document.components.schemas;
const groupOf = (tree: string, group: string): Schema => {
  const { $ref } = schemas[tree]?.properties?.[group] ?? {};
  return schemas[$ref?.split("/").at(-1) ?? ""] ?? {};
};
const types = { text: "string", choice: "string", flag: "boolean", integer: "integer", number: "number" };

describe.each(["ServerConfig", "UpdateConfigRequest"])("%s", (tree) => {
  test("has the groups and keys of the settings, in their order", () => {
    const shape = (groups: object) =>
      Object.entries(groups).map(([group, keys]) => [group, Object.keys(keys as object)] as const);
    const spelled = Object.keys(schemas[tree]?.properties ?? {}).map((group) => [
      group,
      groupOf(tree, group).properties ?? {},
    ]);
    expect(shape(Object.fromEntries(spelled))).toEqual(shape(settingsTable));
  });

  test.each([...rulesByName])("%s has the rule's type, bounds and description", (name, rule) => {
    const [group = "", key = ""] = name.split(".");
    const schema = groupOf(tree, group).properties?.[key] ?? {};
    const isText = rule.kind === "text";
    expect(schema).toMatchObject({ type: types[rule.kind], description: rule.description });
    expect(schema.enum).toEqual(rule.choices);
    expect([schema.minimum, schema.maximum]).toEqual(isText ? [undefined, undefined] : [rule.minimum, rule.maximum]);
    expect([schema.minLength, schema.maxLength]).toEqual(
      isText ? [rule.minimum, rule.maximum] : [undefined, undefined],
    );
  });
});

test.each([...rulesByName])("%s shows its default where it is read, and has none where it is changed", (name, rule) => {
  const [group = "", key = ""] = name.split(".");
  const shown = groupOf("ServerConfig", group);
  const changed = groupOf("UpdateConfigRequest", group);
  expect(shown.properties?.[key]?.default).toEqual(rule.initial);
  expect(shown.required).toContain(key);
  expect(changed.properties?.[key]).not.toHaveProperty("default");
  expect(changed.required).toBeUndefined();
  expect(changed["x-error"]).toBe("INVALID_CONFIG");
  expect(changed.properties?.[key]?.["x-error"]).toBe("INVALID_CONFIG");
});
