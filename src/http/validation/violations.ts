import { type ErrorId, errorCatalogue, RelayError } from "../../protocol/errors.js";

/** One fault, as express-openapi-validator reports it. */
export interface Violation {
  path: string;
  message: string;
  /** `<keyword>.openapi.validation` if a schema was violated. */
  errorCode?: string;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  description?: string;
  minimum?: number;
  "x-error"?: string;
  "x-hint"?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** The parts of an operation that hold schemas. */
export interface OperationSchema {
  parameters?: { $ref?: string; name?: string; in?: string; schema?: Schema }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> } | null;
}

/** Maximum number of faults that an answer names. */
export const maxFaults = 100;
const maxTextLength = 1000;

/**
 * The catalogue error for a request that the validator refused: INVALID_REQUEST with the faulty members, or the error
 * that the property extension `x-error` names if every fault is a violated bound of a property with that extension. A
 * missing member is INVALID_REQUEST whatever the extension says, and so is a wrong type unless the catalogue's entry
 * includes it.
 */
export function violationError(
  error: { message: string; errors?: readonly Violation[] },
  operation: Operation,
): RelayError {
  const violations = (error.errors ?? []).slice(0, maxFaults).map(locate);
  const ids = violations.map((violation) => namedError(violation, operation));
  const id = ids.find((candidate) => candidate !== null) ?? null;
  const chosen: ErrorId = id !== null && ids.every((candidate) => candidate !== null) ? id : "INVALID_REQUEST";
  const details = violations.map((violation) => ({ path: violation.path, message: explained(violation, operation) }));
  const named = details.length > 0 ? details : [{ path: "body", message: error.message }];
  const message = named.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  const extras = (errorCatalogue[chosen].extras as readonly string[]).includes("details") ? { details } : {};
  return new RelayError(chosen, message.slice(0, maxTextLength), { extras });
}

/** Whether a fault alone would be answered with the error that `x-error` names. */
export function namesError(violation: Violation, operation: Operation): boolean {
  return namedError(locate(violation), operation) !== null;
}

/** The path to the faulty member, which begins with the part of the request that contains it, for instance `body`. */
export function violationSegments(violation: Violation): string[] {
  const { place, segments } = locate(violation);
  return [place, ...segments];
}

/** The parts of a request as the validator names them, and as answers do: `body/messages/3/timestamp`, `query/limit`. */
const places: Readonly<Record<string, string>> = {
  body: "body",
  query: "query",
  params: "path",
  headers: "header",
  cookies: "cookie",
};

interface Located {
  place: string;
  /** The path from the body or the parameter to the member. */
  segments: string[];
  path: string;
  message: string;
  /** The keyword of the violated schema, if any. */
  keyword: string;
}

/**
 * A fault that no schema found may have the URL as its path; it is attributed to the body, and the URL is not repeated.
 */
function locate(violation: Violation): Located {
  const segments = violation.path.split("/").slice(1);
  const place = places[segments[0] ?? ""];
  const within = place !== undefined ? segments.slice(1) : violation.errorCode === undefined ? [] : segments;
  return {
    place: place ?? "body",
    segments: within.map(unescapePointer),
    path: [place ?? "body", ...within].join("/").slice(0, maxTextLength),
    message: (violation.message || "is not as the contract says").slice(0, maxTextLength),
    keyword: violation.errorCode?.split(".", 1)[0] ?? "",
  };
}

const boundKeywords = new Set([
  "pattern",
  "format",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "additionalProperties",
]);

export interface Operation {
  schema: OperationSchema;
  document: unknown;
}

function namedError(violation: Located, operation: Operation): ErrorId | null {
  const isWrongType = violation.keyword === "type";
  if (!boundKeywords.has(violation.keyword) && !isWrongType) return null;
  // An unknown member is named by its own path; the bound it breaks is its object's.
  const isUnknownMember = violation.keyword === "additionalProperties";
  const segments = isUnknownMember ? violation.segments.slice(0, -1) : violation.segments;
  const search: Search<ErrorId> = { document: operation.document, found: null, read: readError };
  for (const { schema, path } of rootsOf(operation, violation.place, segments)) visit(search, schema, path);
  const { found } = search;
  return isWrongType && found !== null && !errorCatalogue[found].wrongTypes ? null : found;
}

const readError = (schema: Schema): ErrorId | undefined => schema["x-error"] as ErrorId | undefined;

/**
 * What is wrong with a member, followed by the hint that the contract gives for it (`x-hint`). If a member without a
 * hint violates a pattern, its description explains it, because the pattern alone means nothing to most people.
 */
function explained(violation: Located, operation: Operation): string {
  const read = (schema: Schema) =>
    schema["x-hint"] ?? (violation.keyword === "pattern" ? firstSentence(schema.description) : undefined);
  const search: Search<string> = { document: operation.document, found: null, read };
  for (const { schema, path } of rootsOf(operation, violation.place, violation.segments)) visit(search, schema, path);
  const text = search.found === null ? violation.message : `${violation.message}: ${search.found}`;
  return text.slice(0, maxTextLength);
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text);
}

interface Search<T> {
  readonly document: unknown;
  /** Reads the value that is looked up in the schema at the end of the path. */
  readonly read: (schema: Schema) => T | undefined;
  found: T | null;
}

function rootsOf(operation: Operation, place: string, path: string[]): { schema: Schema; path: string[] }[] {
  const { schema, document } = operation;
  if (place === "body") {
    const content = Object.values(schema.requestBody?.content ?? {});
    return content.flatMap((media) => (media.schema === undefined ? [] : [{ schema: media.schema, path }]));
  }
  const [name = "", ...within] = path;
  const parameters = (schema.parameters ?? []).map((parameter) => resolved(document, parameter));
  return parameters
    .filter((parameter) => parameter.in === place && sameName(parameter, name))
    .flatMap((parameter) => (parameter.schema === undefined ? [] : [{ schema: parameter.schema, path: within }]));
}

/** Header names arrive in lower case. */
function sameName(parameter: { name?: string; in?: string }, name: string): boolean {
  return parameter.in === "header" ? parameter.name?.toLowerCase() === name : parameter.name === name;
}

/** Looks through references and combined schemas for the schema at the end of the path. */
function visit<T>(search: Search<T>, start: Schema, path: string[]): void {
  const schema = resolved(search.document, start);
  const [head, ...rest] = path;
  if (head === undefined) search.found ??= search.read(schema) ?? null;
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    visit(search, part, path);
  }
  if (head === undefined) return;
  const child = schema.properties?.[head] ?? (/^\d+$/.test(head) ? schema.items : undefined);
  if (child !== undefined) visit(search, child, rest);
}

/** Follows `$ref`; its siblings also apply. */
export function resolved<T extends { $ref?: string }>(document: unknown, node: T): T {
  let { $ref: reference, ...result } = node as T & { $ref?: string };
  while (reference !== undefined) {
    const target = reference.slice(2).split("/").map(unescapePointer).reduce(member, document) as T;
    const { $ref: further, ...own } = target;
    result = { ...own, ...result } as typeof result;
    reference = further;
  }
  return result as T;
}

function member(value: unknown, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
