import type { Contract, Schema } from "./contract.js";

/**
 * Gives every schema with `x-change-of` the groups and keys of the schema that it names, none of them required. There are
 * no defaults, because a default would be filled in for every key that is not sent. Its `x-error` holds for every key.
 */
export function expandChanges({ components: { schemas } }: Contract): void {
  for (const schema of Object.values(schemas)) {
    const { "x-change-of": target, "x-error": error } = schema;
    if (target === undefined) continue;
    delete schema["x-change-of"];
    schema.additionalProperties = false;
    schema.properties = {};
    for (const [group, { $ref }] of Object.entries(schemas[String(target)]?.properties ?? {})) {
      const name = String($ref).split("/").at(-1) ?? "";
      schemas[`${name}Change`] = changeOf(schemas[name] ?? {}, { group, error });
      schema.properties[group] = { $ref: `#/components/schemas/${name}Change` };
    }
  }
}

function changeOf({ properties = {} }: Schema, { group, error }: { group: string; error: unknown }): Schema {
  const keys = Object.entries(properties).map(([key, { default: _, ...rule }]) => [key, { ...rule, "x-error": error }]);
  return {
    type: "object",
    description: `Keys of the group \`${group}\` to change.`,
    additionalProperties: false,
    "x-error": error,
    properties: Object.fromEntries(keys),
  };
}
