import { isDeepStrictEqual } from "node:util";
import { type Json, list, object, resolve } from "./json.js";

/** A schema with the document that its references point into. */
export interface Placed {
  document: Json;
  schema: unknown;
}

/** Who writes the values: then every old value must still be taken, or every new one must be one that was known. */
export type Side = "request" | "answer";

/** Two versions of one schema, and where in the message they stand. */
interface Pair {
  narrow: Placed;
  wide: Placed;
  place: string;
  side: Side;
}

const words = new Set(["description", "title", "summary", "example", "examples", "default", "deprecated", "readOnly"]);
const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const settled = new Set(["$ref", "type", "enum", "const", "required", "properties", "additionalProperties", "items"]);
const deepest = 40;
// A client must expect errors whose names and codes it does not know, so these may be listed or not.
const growing = ["#/components/schemas/ErrorName", "#/components/schemas/ErrorCode"];
// These tell a generator which type to use. What may be sent is in the pattern or the bounds beside them.
const formatsOfTypes = ["byte", "int64"];

/**
 * What makes a schema break the promises of its former self. What clients send must still be taken as it was; what they
 * get must be no other than what they knew, though an object may have members that are new to them.
 */
export function compareSchemas(before: Placed, after: Placed, side: Side): string[] {
  const [narrow, wide] = side === "request" ? [before, after] : [after, before];
  return compare({ narrow, wide, place: "", side });
}

function compare(pair: Pair): string[] {
  if (pair.place.split("/").length > deepest) return [];
  if (pair.side === "answer" && growing.includes(String(object(pair.wide.schema)["$ref"]))) return [];
  const narrow = withLength(resolve(pair.narrow.document, pair.narrow.schema));
  const wide = withLength(resolve(pair.wide.document, pair.wide.schema));
  const faults = [
    ...compareTypes(narrow, wide),
    ...(isPlainedBoolean(pair.side, narrow, wide) ? [] : compareValues(narrow, wide)),
    ...compareBounds(narrow, wide),
    ...compareOthers(narrow, wide),
  ];
  return [
    ...faults.map((fault) => tell(pair, fault)),
    ...compareMembers(pair, { narrow, wide }),
    ...compareItems(pair),
  ];
}

/** A bound that some generators cannot read is published as an extension. */
function withLength(schema: Json): Json {
  const { "x-max-length": maxLength } = schema;
  return maxLength === undefined ? schema : { ...schema, maxLength };
}

/** Says in the order of time what the comparison found in the order of width. */
function tell({ place, side }: Pair, { keyword, narrow, wide }: Fault): string {
  const [before, after] = side === "request" ? [narrow, wide] : [wide, narrow];
  return `${side} ${place || "/"}: ${keyword} was ${show(before)} and is ${show(after)}`;
}

interface Fault {
  keyword: string;
  narrow: unknown;
  wide: unknown;
}

function show(value: unknown): string {
  return value === undefined ? "open" : JSON.stringify(value);
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

/** Most languages have no boolean of one value, so an answer's may become a plain one. */
function isPlainedBoolean(side: Side, narrow: Json, wide: Json): boolean {
  return side === "answer" && [narrow, wide].every((schema) => schema["type"] === "boolean");
}

function valuesOf(schema: Json): unknown[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  return schema["enum"] === undefined ? undefined : list(schema["enum"]);
}

function compareBounds(narrow: Json, wide: Json): Fault[] {
  // Where the values themselves are listed, bounds add nothing.
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

/** Patterns, formats and whatever this comparison does not know in detail: only what has not changed is safe. */
function compareOthers(narrow: Json, wide: Json): Fault[] {
  if (valuesOf(narrow) !== undefined) return [];
  return Object.keys(wide)
    .filter((keyword) => !settled.has(keyword) && !words.has(keyword) && !keyword.startsWith("x-"))
    .filter((keyword) => !lowerBounds.includes(keyword) && !upperBounds.includes(keyword))
    .filter((keyword) => !isDeepStrictEqual(narrow[keyword], wide[keyword]))
    .filter((keyword) => keyword !== "format" || !formatsOfTypes.includes(String(wide[keyword])) || narrow[keyword])
    .map((keyword) => ({ keyword, narrow: narrow[keyword], wide: wide[keyword] }));
}

function compareMembers(pair: Pair, { narrow, wide }: { narrow: Json; wide: Json }): string[] {
  const { side, place } = pair;
  const sent = object(narrow["properties"]);
  const taken = object(wide["properties"]);
  const missing = list(wide["required"]).filter((name) => !list(narrow["required"]).includes(name));
  const unknown = Object.keys(sent).filter((name) => !(name in taken));
  const gone = Object.keys(taken).filter((name) => !(name in sent));
  const shared = Object.keys(sent).filter((name) => name in taken);
  return [
    ...missing.map((name) =>
      side === "request" ? `request ${place}/${name} must be sent now` : `answer ${place}/${name} may be missing now`,
    ),
    ...(side === "request" && wide["additionalProperties"] === false
      ? unknown.map((name) => `request ${place}/${name} is no longer taken`)
      : []),
    ...(side === "request" && isOpen(narrow) && !isOpen(wide)
      ? [`request ${place || "/"}: further members are refused now`]
      : []),
    ...(side === "answer" ? gone.map((name) => `answer ${place}/${name} is gone`) : []),
    ...shared.flatMap((name) => compare(within(pair, { narrow: sent[name], wide: taken[name], step: name }))),
    ...compareFurther(pair, { narrow, wide }),
  ];
}

function isOpen(schema: Json): boolean {
  return typesOf(schema).includes("object") && schema["additionalProperties"] !== false;
}

/** Members that are not named, where both versions give them a schema. */
function compareFurther(pair: Pair, { narrow, wide }: { narrow: Json; wide: Json }): string[] {
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
    place: `${pair.place}/${step}`,
    side: pair.side,
  };
}
