import { isDeepStrictEqual } from "node:util";
import { BASE64 } from "../generate/publish/plain-schemas.js";
import { type Json, list, object, resolve } from "./json.js";

/** A schema with the document that its references point into. */
interface Placed {
  document: Json;
  schema: unknown;
}

/** Requests: every value that was valid must still be accepted. Answers: every value must be one that was valid before. */
type Side = "request" | "answer";

/** Two versions of one schema: every value of the narrow one must be valid for the wide one. `path` leads to it in the body. */
interface Pair {
  narrow: Placed;
  wide: Placed;
  path: string;
  side: Side;
}

const annotations = new Set([
  "description",
  "title",
  "summary",
  "example",
  "examples",
  "default",
  "deprecated",
  "readOnly",
]);
const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const comparedInDetail = new Set([
  "$ref",
  "type",
  "enum",
  "const",
  "required",
  "properties",
  "additionalProperties",
  "items",
]);
const deepest = 40;
// A client must expect unknown names and codes of errors, so their values may be listed or not.
const openSets = ["#/components/schemas/ErrorName", "#/components/schemas/ErrorCode"];
// Generators choose a type by these. The pattern or the bounds beside them say which values are valid.
const formatsOfTypes = ["byte", "int64"];

/**
 * The breaking changes between two versions of a schema. Everything that clients send must still be accepted. Everything
 * that they receive must have been possible before, except that objects may have new members.
 */
export function compareSchemas(before: Placed, after: Placed, side: Side): string[] {
  const [narrow, wide] = side === "request" ? [before, after] : [after, before];
  return compare({ narrow, wide, path: "", side });
}

function compare(pair: Pair): string[] {
  if (pair.path.split("/").length > deepest) return [];
  if (pair.side === "answer" && openSets.includes(String(object(pair.wide.schema)["$ref"]))) return [];
  const narrow = withBounds(resolve(pair.narrow.document, pair.narrow.schema));
  const wide = withBounds(resolve(pair.wide.document, pair.wide.schema));
  const faults = [
    ...compareTypes(narrow, wide),
    ...(isWidenedBoolean(pair.side, narrow, wide) ? [] : compareValues(narrow, wide)),
    ...compareBounds(narrow, wide),
    ...compareOthers(narrow, wide),
  ];
  return [
    ...faults.map((fault) => describeFault(pair, fault)),
    ...compareMembers(pair, { narrow, wide }),
    ...compareItems(pair),
  ];
}

/** Bounds that some generators cannot read are published in another form: as an extension, or as a format. */
function withBounds(schema: Json): Json {
  const { "x-max-length": maxLength, format, pattern } = schema;
  return {
    ...schema,
    ...(maxLength !== undefined && { maxLength }),
    ...(format === "byte" && pattern === undefined && { pattern: BASE64 }),
  };
}

/** The comparison goes from narrow to wide; its result is described from before to after. */
function describeFault({ path, side }: Pair, { keyword, narrow, wide }: Fault): string {
  const [before, after] = side === "request" ? [narrow, wide] : [wide, narrow];
  return `${side} ${path || "/"}: ${keyword} was ${show(before)} and is ${show(after)}`;
}

interface Fault {
  keyword: string;
  narrow: unknown;
  wide: unknown;
}

function show(value: unknown): string {
  return value === undefined ? "unbounded" : JSON.stringify(value);
}

function compareTypes(narrow: Json, wide: Json): Fault[] {
  const taken = typesOf(wide);
  const fits = (type: string) => taken.includes(type) || (type === "integer" && taken.includes("number"));
  if (taken.length === 0 || (typesOf(narrow).length > 0 && typesOf(narrow).every(fits))) return [];
  return [{ keyword: "type", narrow: narrow["type"], wide: wide["type"] }];
}

function typesOf(schema: Json): string[] {
  return [schema["type"] ?? []].flat() as string[];
}

function compareValues(narrow: Json, wide: Json): Fault[] {
  const taken = valuesOf(wide);
  const sent = valuesOf(narrow);
  if (taken === undefined) return [];
  const has = (values: unknown[], value: unknown) => values.some((other) => isDeepStrictEqual(value, other));
  if (sent === undefined) return [{ keyword: "enum", narrow: undefined, wide: taken }];
  const foreign = sent.filter((value) => !has(taken, value));
  if (foreign.length === 0) return [];
  return [{ keyword: "enum", narrow: foreign, wide: taken.filter((value) => !has(sent, value)) }];
}

/** Most languages have no boolean type of one value, so in an answer it may become an ordinary boolean. */
function isWidenedBoolean(side: Side, narrow: Json, wide: Json): boolean {
  return side === "answer" && [narrow, wide].every((schema) => schema["type"] === "boolean");
}

function valuesOf(schema: Json): unknown[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  return schema["enum"] === undefined ? undefined : list(schema["enum"]);
}

function compareBounds(narrow: Json, wide: Json): Fault[] {
  // Bounds add nothing where the values themselves are listed.
  if (valuesOf(narrow) !== undefined) return [];
  const outside = (keyword: string, beyond: (sent: number, taken: number) => boolean): boolean => {
    const [sent, taken] = [narrow[keyword], wide[keyword]];
    return typeof taken === "number" && (typeof sent !== "number" || beyond(sent, taken));
  };
  return [
    ...lowerBounds.filter((keyword) => outside(keyword, (sent, taken) => sent < taken)),
    ...upperBounds.filter((keyword) => outside(keyword, (sent, taken) => sent > taken)),
  ].map((keyword) => ({ keyword, narrow: narrow[keyword], wide: wide[keyword] }));
}

/** Patterns, formats and every keyword that is not compared in detail must be unchanged. */
function compareOthers(narrow: Json, wide: Json): Fault[] {
  if (valuesOf(narrow) !== undefined) return [];
  return Object.keys(wide)
    .filter((keyword) => !comparedInDetail.has(keyword) && !annotations.has(keyword) && !keyword.startsWith("x-"))
    .filter((keyword) => !lowerBounds.includes(keyword) && !upperBounds.includes(keyword))
    .filter((keyword) => !isDeepStrictEqual(narrow[keyword], wide[keyword]))
    .filter((keyword) => keyword !== "pattern" || !isAlternativeOf(String(narrow[keyword]), String(wide[keyword])))
    .filter((keyword) => keyword !== "format" || !formatsOfTypes.includes(String(wide[keyword])) || narrow[keyword])
    .map((keyword) => ({ keyword, narrow: narrow[keyword], wide: wide[keyword] }));
}

/** Whether a pattern `^a$` became `^(a|…)$`, which matches everything that the first one does. */
function isAlternativeOf(narrow: string, wide: string): boolean {
  const [, one = ""] = /^\^([^|]+)\$$/.exec(narrow) ?? [];
  if (one === "" || !wide.startsWith(`^(${one}|`) || !wide.endsWith(")$")) return false;
  const groups = wide.slice(2, -2).replaceAll(/\\.|\[[^\]]*\]/g, "");
  let depth = 0;
  for (const sign of groups) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    // The group of the alternatives ended before the pattern did.
    if (depth < 0) return false;
  }
  return depth === 0;
}

function compareMembers(pair: Pair, { narrow, wide }: { narrow: Json; wide: Json }): string[] {
  const { side, path } = pair;
  const sent = object(narrow["properties"]);
  const taken = object(wide["properties"]);
  const missing = list(wide["required"]).filter((name) => !list(narrow["required"]).includes(name));
  const unknown = Object.keys(sent).filter((name) => !(name in taken));
  const gone = Object.keys(taken).filter((name) => !(name in sent));
  const shared = Object.keys(sent).filter((name) => name in taken);
  return [
    ...missing.map((name) =>
      side === "request" ? `request ${path}/${name} is required now` : `answer ${path}/${name} is optional now`,
    ),
    ...(side === "request" && wide["additionalProperties"] === false
      ? unknown.map((name) => `request ${path}/${name} is no longer accepted`)
      : []),
    ...(side === "request" && isOpen(narrow) && !isOpen(wide)
      ? [`request ${path || "/"}: other members are refused now`]
      : []),
    ...(side === "answer" ? gone.map((name) => `answer ${path}/${name} is removed`) : []),
    ...shared.flatMap((name) => compare(within(pair, { narrow: sent[name], wide: taken[name], step: name }))),
    ...compareOtherMembers(pair, { narrow, wide }),
  ];
}

function isOpen(schema: Json): boolean {
  return typesOf(schema).includes("object") && schema["additionalProperties"] !== false;
}

/** Members that are not named in the schema, where both versions give them a schema. */
function compareOtherMembers(pair: Pair, { narrow, wide }: { narrow: Json; wide: Json }): string[] {
  const [sent, taken] = [narrow["additionalProperties"], wide["additionalProperties"]];
  if (typeof sent !== "object" || typeof taken !== "object") return [];
  return compare(within(pair, { narrow: sent, wide: taken, step: "*" }));
}

function compareItems(pair: Pair): string[] {
  const narrow = resolve(pair.narrow.document, pair.narrow.schema)["items"];
  const wide = resolve(pair.wide.document, pair.wide.schema)["items"];
  return narrow === undefined || wide === undefined ? [] : compare(within(pair, { narrow, wide, step: "[]" }));
}

function within(pair: Pair, { narrow, wide, step }: { narrow: unknown; wide: unknown; step: string }): Pair {
  return {
    narrow: { document: pair.narrow.document, schema: narrow },
    wide: { document: pair.wide.document, schema: wide },
    path: `${pair.path}/${step}`,
    side: pair.side,
  };
}
