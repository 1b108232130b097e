import type { Catalogue } from "../generate/catalogue.js";
import type { Contract, Schema } from "../generate/contract.js";
import { operationsOf } from "../generate/contract.js";
import type { Finding } from "./finding.js";

/** Keywords that common generators or validators read differently, or not at all. */
const FORBIDDEN = [
  "allOf",
  "anyOf",
  "not",
  "if",
  "then",
  "else",
  "prefixItems",
  "contains",
  "patternProperties",
  "dependentSchemas",
  "dependentRequired",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "$defs",
  "$dynamicRef",
  "$anchor",
  "$id",
  "nullable",
];

const STRING_BOUNDS = ["enum", "const", "pattern", "maxLength", "format", "x-open-because"];

/** Checks schemas: only the profile of OpenAPI 3.1 that all generators can read, and a bound on every value. */
export function checkSchemas(contract: Contract, catalogue: Catalogue): Finding[] {
  const named = Object.entries(contract.components.schemas).flatMap(([name, schema]) => [...walk(schema, name, true)]);
  const ofParameters = operationsOf(contract).flatMap(({ operation }) =>
    (operation.parameters ?? []).flatMap(({ name, schema }) => [
      ...walk(schema ?? {}, `${operation.operationId}.${name}`, false),
    ]),
  );
  const findings = [...named, ...ofParameters].flatMap(({ schema, where, isNamed }) =>
    [...schemaFaults(schema, isNamed, catalogue)].map((what) => ({ where, what })),
  );
  return [...findings, ...unused(contract)];
}

interface Visit {
  schema: Schema;
  where: string;
  isNamed: boolean;
}

function* walk(schema: Schema, where: string, isNamed: boolean): Generator<Visit> {
  yield { schema, where, isNamed };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* walk(property, `${where}.${name}`, false);
  }
  for (const keyword of ["items", "additionalProperties"]) {
    const inner = schema[keyword];
    if (typeof inner === "object" && inner !== null) yield* walk(inner as Schema, `${where}.${keyword}`, false);
  }
}

function* schemaFaults(schema: Schema, isNamed: boolean, catalogue: Catalogue): Generator<string> {
  for (const keyword of FORBIDDEN) if (keyword in schema) yield `${keyword} is outside the profile`;
  if (typeof schema["x-error"] === "string" && !catalogue.has(schema["x-error"])) {
    yield `x-error: ${schema["x-error"]} is not in the catalogue`;
  }
  if ("$ref" in schema) return;
  if ("oneOf" in schema) return yield* unionFaults(schema);
  const types = [schema.type ?? []].flat();
  const [type] = types.filter((name) => name !== "null");
  if (type === undefined || types.length > 2 || (types.length === 2 && !types.includes("null"))) {
    yield "must have one type, or one type and null";
  }
  if (type === "object") yield* objectFaults(schema, isNamed);
  if (type === "integer") yield* integerFaults(schema);
  if (type === "string" && !has(schema, STRING_BOUNDS)) yield "a string without a bound (or x-open-because)";
  if (type === "array" && !has(schema, ["maxItems"])) yield "an array without maxItems";
  if (type === "array" && !has(schema, ["items"])) yield "an array without items";
}

/** Validators and generators agree only on discriminators with a mapping to named schemas. */
function* unionFaults(schema: Schema): Generator<string> {
  const discriminator = schema["discriminator"] as { propertyName?: string; mapping?: object } | undefined;
  if (!discriminator?.propertyName || !discriminator.mapping) yield "oneOf must have a discriminator with a mapping";
  const members = schema["oneOf"] as Schema[];
  if (members.some((member) => !("$ref" in member))) yield "oneOf must refer to named schemas";
}

function* objectFaults(schema: Schema, isNamed: boolean): Generator<string> {
  const { properties, additionalProperties, required } = schema as { required?: string[] } & Schema;
  if (properties === undefined) {
    if (additionalProperties === undefined) yield "an object without properties must have additionalProperties";
    return;
  }
  if (!isNamed) yield "an object with properties must be a named schema";
  if (additionalProperties !== false && typeof schema["x-open-because"] !== "string") {
    yield "must have additionalProperties: false (or the reason in x-open-because)";
  }
  for (const name of required ?? []) if (!(name in properties)) yield `required names ${name}, which is not a property`;
  for (const name of Object.keys(properties)) {
    if (!/^[a-z0-9_]+$/i.test(name)) yield `the property ${name} has a name that is not valid in every language`;
  }
}

function* integerFaults(schema: Schema): Generator<string> {
  if (schema["format"] !== "int64") yield "an integer must have format: int64";
  if (!has(schema, ["enum", "const"]) && !(has(schema, ["minimum"]) && has(schema, ["maximum"]))) {
    yield "an integer must have minimum and maximum";
  }
}

function has(schema: Schema, keywords: string[]): boolean {
  return keywords.some((keyword) => keyword in schema);
}

function unused(contract: Contract): Finding[] {
  const text = JSON.stringify(contract);
  return Object.keys(contract.components.schemas)
    .filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    .map((where) => ({ where, what: "nothing refers to this schema" }));
}
