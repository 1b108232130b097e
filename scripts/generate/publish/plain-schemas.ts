import type { Contract, Schema } from "../contract.js";

/** How the contract writes base64 of any length. */
export const BASE64 = "^[A-Za-z0-9+/]*={0,2}$";
const PREFIX = "#/components/schemas/";

/** Replaces constructs that make generators fail with simpler ones that promise clients the same. */
export function plainSchemas(contract: Contract): void {
  const { schemas } = contract.components;
  openLists(schemas);
  for (const schema of Object.values(schemas)) walk(schema, (part) => plain(part, schemas));
}

/** Moves the values of error names and codes into the descriptions: an enum would make clients reject new errors. */
function openLists({ ErrorName: name, ErrorCode: code }: Record<string, Schema>): void {
  if (name === undefined || code === undefined) throw new Error("schemas ErrorName and ErrorCode are missing");
  name["description"] = `${name["description"]} Known today: ${(name.enum ?? []).join(", ")}. Expect others.`;
  code["description"] = `${code["description"]} Known today: ${(code.enum ?? []).join(", ")}. Expect others.`;
  Object.assign(name, { pattern: "^[A-Z][A-Z0-9_]*$", maxLength: 64 });
  delete name.enum;
  delete code.enum;
}

function plain(schema: Schema, schemas: Record<string, Schema>): void {
  if ("default" in schema && typeof schema["$ref"] === "string") copyTarget(schema, schemas);
  if (schema.type === "boolean") delete schema.enum;
  if (schema["pattern"] === BASE64) nameBase64(schema);
  if (typeof schema["additionalProperties"] === "object") hideLength(schema["additionalProperties"] as Schema);
  // In some languages a fixed-length array is a type without equality or serialisation.
  if (schema.type === "array" && schema["minItems"] === schema["maxItems"]) delete schema["minItems"];
}

/** Generators that decode such a text apply the pattern to the bytes. */
function nameBase64(schema: Schema): void {
  delete schema["pattern"];
  schema["format"] = "byte";
}

/** The zod schemas that orval writes for a bounded value of a map do not compile. The compatibility check reads the extension. */
function hideLength(schema: Schema): void {
  if (schema["maxLength"] === undefined) return;
  schema["x-max-length"] = schema["maxLength"];
  delete schema["maxLength"];
}

/** OpenAPI 3.0 allows a default beside a reference only in `allOf`, which generators read as another type. */
function copyTarget(schema: Schema, schemas: Record<string, Schema>): void {
  const target = schemas[String(schema["$ref"]).slice(PREFIX.length)];
  delete schema["$ref"];
  Object.assign(schema, { ...structuredClone(target), ...schema });
}

function walk(schema: Schema, change: (schema: Schema) => void): void {
  change(schema);
  for (const property of Object.values(schema.properties ?? {})) walk(property, change);
  for (const keyword of ["items", "additionalProperties"]) {
    const inner = schema[keyword];
    if (typeof inner === "object" && inner !== null) walk(inner as Schema, change);
  }
}
