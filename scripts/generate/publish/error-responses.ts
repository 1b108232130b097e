import type { Contract, ResponseObject } from "../contract.js";
import { operationsOf } from "../contract.js";

const PREFIX = "#/components/responses/";

/** The reason phrases of RFC 9110, section 15, and of RFC 6585 and RFC 4918, as names of responses. */
const NAMES: Readonly<Record<string, string>> = {
  "400": "BadRequest",
  "401": "Unauthorized",
  "403": "Forbidden",
  "404": "NotFound",
  "408": "RequestTimeout",
  "409": "Conflict",
  "410": "Gone",
  "413": "ContentTooLarge",
  "415": "UnsupportedMediaType",
  "416": "RangeNotSatisfiable",
  "429": "TooManyRequests",
  "500": "InternalServerError",
  "502": "BadGateway",
  "503": "ServiceUnavailable",
  "507": "InsufficientStorage",
};

/**
 * Replaces the responses named after their errors by one for each status. Generators make public types of the names, and
 * an error that is added to an operation must not rename a type.
 */
export function nameResponsesByStatus(contract: Contract): void {
  const precise = contract.components.responses ?? {};
  const responses: Record<string, ResponseObject> = {};
  for (const { operation } of operationsOf(contract)) {
    const isLimited = operation["x-rate-limits"] !== undefined;
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!("$ref" in response)) continue;
      const name = nameOf(status) + (isLimited ? "WithLimits" : "");
      const own = precise[response.$ref.slice(PREFIX.length)];
      if (own === undefined) throw new Error(`${operation.operationId}: ${response.$ref} is missing`);
      responses[name] = responses[name] === undefined ? structuredClone(own) : joined(responses[name], own);
      operation.responses[status] = { $ref: PREFIX + name };
    }
  }
  contract.components.responses = Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nameOf(status: string): string {
  const name = NAMES[status];
  if (name === undefined) throw new Error(`The status ${status} has no name for its response`);
  return name;
}

/** What both responses say. A header that one of them lacks or does not require is optional. */
function joined(one: ResponseObject, other: ResponseObject): ResponseObject {
  const meanings = new Set([...one.description.split("\n\n"), ...other.description.split("\n\n")]);
  const headers = { ...one.headers };
  for (const [name, header] of Object.entries(other.headers ?? {})) {
    if (headers[name] === undefined || "required" in header) headers[name] = header;
  }
  const examples = { ...one.content?.["application/json"]?.examples, ...other.content?.["application/json"]?.examples };
  const media = { ...one.content?.["application/json"], ...other.content?.["application/json"], examples };
  return {
    ...one,
    description: [...meanings].join("\n\n"),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { "application/json": media as NonNullable<ResponseObject["content"]>[string] },
  };
}
