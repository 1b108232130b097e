import type { Catalogue, CatalogueEntry } from "./catalogue.js";
import type { Contract, MediaType, Operation, ResponseObject, Schema } from "./contract.js";
import { operationsOf } from "./contract.js";

export const ALWAYS = ["INVALID_REQUEST", "INTERNAL", "OVERLOADED", "DATABASE_UNAVAILABLE"];
export const WITH_BODY = ["REQUEST_TIMEOUT", "MESSAGE_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
export const WITH_SECURITY = ["INVALID_TOKEN"];
export const WITH_PERMISSION = ["INSUFFICIENT_PERMISSIONS"];

const HEADERS: Record<string, object> = {
  "WWW-Authenticate": {
    description: "The scheme of the token asked for (RFC 9110, section 11.6.1).",
    schema: { type: "string" },
    example: "Bearer",
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", format: "int64", minimum: 0, maximum: 2592000 },
    example: 5,
  },
  "Content-Range": {
    description: "How many bytes there are.",
    schema: { type: "string" },
    example: "bytes */1048592",
  },
  Allow: {
    description: "The methods that the path has.",
    schema: { type: "string" },
    example: "GET, POST",
  },
};

/** The headers of every answer of an operation with `x-rate-limits` that was counted, success or error. */
const RATE_LIMIT_HEADERS: Record<string, object> = {
  RateLimit: {
    description:
      "What is left of each limit that the request was counted by, a list of structured fields " +
      "(draft-ietf-httpapi-ratelimit-headers-10): `r` is what is left, `t` the seconds until the window ends, without " +
      "which the window has not begun. Absent where nothing was counted, or nothing is limited.",
    required: false,
    schema: { type: "string" },
    example: '"messages";r=57;t=1800, "misses";r=180',
  },
  "RateLimit-Policy": {
    description: "The same limits: `q` is how much one window allows, `w` its length in seconds.",
    required: false,
    schema: { type: "string" },
    example: '"messages";q=60;w=3600, "misses";q=180;w=3600',
  },
};

/**
 * Gives every operation its error responses: those of its `x-errors` and the automatic ones, grouped by status.
 * Operations with the same errors for a status share one response, named after them.
 */
export function expandErrors(contract: Contract, catalogue: Catalogue): void {
  fillErrorLists(contract, catalogue);
  const responses: Record<string, ResponseObject> = {};
  for (const { operation } of operationsOf(contract)) {
    for (const [status, entries] of byStatus(errorsOf(operation, catalogue))) {
      if (operation.responses[status] !== undefined) {
        throw new Error(`${operation.operationId}: ${status} is written by hand and also comes from x-errors`);
      }
      const isLimited = operation["x-rate-limits"] !== undefined;
      const name = entries.map((entry) => pascal(entry.id)).join("Or") + (isLimited ? "WithLimits" : "");
      responses[name] ??= errorResponse(entries, { contract, isLimited });
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  addLimitHeaders(contract);
  contract.components.responses = sorted(responses);
  contract.components.headers = { ...contract.components.headers, ...usedHeaders(responses), ...limitHeaders() };
}

/** The same headers for the success responses, which are written by hand. */
function addLimitHeaders(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    if (operation["x-rate-limits"] === undefined) continue;
    for (const response of Object.values(operation.responses)) {
      if (!("$ref" in response)) response.headers = { ...response.headers, ...limitHeaderRefs() };
    }
  }
}

function limitHeaders(): Record<string, object> {
  return Object.fromEntries(Object.entries(RATE_LIMIT_HEADERS).map(([name, header]) => [headerKey(name), header]));
}

/** The headers of an answer of an operation with `x-rate-limits`. */
export function limitHeaderRefs(): Record<string, object> {
  const names = Object.keys(RATE_LIMIT_HEADERS);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headerKey(name)}` }]));
}

function fillErrorLists(contract: Contract, catalogue: Catalogue): void {
  const { ErrorName: names, ErrorCode: codes } = contract.components.schemas;
  if (names === undefined || codes === undefined) throw new Error("schemas ErrorName and ErrorCode are missing");
  const entries = [...catalogue.values()];
  names.enum = [...new Set(entries.map((entry) => entry.error))].sort();
  codes.enum = [...new Set(entries.map((entry) => entry.code))].sort((a, b) => a - b);
}

function errorsOf(operation: Operation, catalogue: Catalogue): CatalogueEntry[] {
  const ids = new Set([
    ...ALWAYS,
    ...(operation.requestBody === undefined ? [] : WITH_BODY),
    ...((operation.security ?? []).length === 0 ? [] : WITH_SECURITY),
    ...(operation["x-permission"] === undefined ? [] : WITH_PERMISSION),
    ...(operation["x-errors"] ?? []),
  ]);
  return [...ids].map((id) => {
    const entry = catalogue.get(id);
    if (entry === undefined) throw new Error(`${operation.operationId}: x-errors names ${id}, not in the catalogue`);
    return entry;
  });
}

function byStatus(entries: CatalogueEntry[]): [string, CatalogueEntry[]][] {
  const groups = new Map<number, CatalogueEntry[]>();
  const inOrder = entries.toSorted((a, b) => a.status - b.status || a.code - b.code || (a.id < b.id ? -1 : 1));
  for (const entry of inOrder) groups.set(entry.status, [...(groups.get(entry.status) ?? []), entry]);
  return [...groups].map(([status, group]) => [String(status), group]);
}

function errorResponse(
  entries: CatalogueEntry[],
  { contract, isLimited }: { contract: Contract; isLimited: boolean },
): ResponseObject {
  const own = errorHeaders(entries);
  const headers = isLimited ? { ...own, ...limitHeaderRefs() } : own;
  return {
    description: entries.map((entry) => `**${entry.error}** (${entry.code}): ${entry.meaning}`).join("\n\n"),
    ...(headers === undefined ? {} : { headers }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorBody" },
        examples: Object.fromEntries(entries.map((entry) => [entry.id, errorExample(entry, contract)])),
      },
    },
  };
}

/** A header is required in a response only if every error of that response sends it. */
function errorHeaders(entries: CatalogueEntry[]): Record<string, object> | undefined {
  const names = [...new Set(entries.flatMap((entry) => entry.headers))];
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      const always = entries.every((entry) => entry.headers.includes(name));
      const header = HEADERS[name];
      if (header === undefined) throw new Error(`spec/errors.yaml: the header ${name} is unknown`);
      return [name, always ? { $ref: `#/components/headers/${headerKey(name)}` } : { ...header, required: false }];
    }),
  );
}

function usedHeaders(responses: Record<string, ResponseObject>): Record<string, object> {
  const used = Object.values(responses).flatMap((response) => Object.keys(response.headers ?? {}));
  return Object.fromEntries(
    Object.entries(HEADERS)
      .filter(([name]) => used.includes(name))
      .map(([name, header]) => [headerKey(name), { ...header, required: true }]),
  );
}

/** Leaves out extras without an example in the schema ErrorBody: only some errors with this id have them. */
function errorExample(entry: CatalogueEntry, contract: Contract): NonNullable<MediaType["examples"]>[string] {
  const properties = contract.components.schemas["ErrorBody"]?.properties ?? {};
  const extras = entry.extras.flatMap((name) => {
    const schema: Schema | undefined = properties[name];
    if (schema === undefined) throw new Error(`spec/errors.yaml: schema ErrorBody has no member ${name}`);
    return schema.examples?.[0] === undefined ? [] : [[name, schema.examples[0]]];
  });
  const value = { error: entry.error, message: entry.meaning, code: entry.code, ...Object.fromEntries(extras) };
  return { summary: entry.meaning, value };
}

function headerKey(name: string): string {
  return name.replaceAll("-", "");
}

function pascal(id: string): string {
  return id.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
