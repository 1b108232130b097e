import type { Catalogue } from "../generate/catalogue.js";
import type { Contract, MediaType, Operation, Parameter, PlacedOperation, Schema } from "../generate/contract.js";
import { operationsOf, securityOf } from "../generate/contract.js";
import { ALWAYS, WITH_BODY, WITH_PERMISSION, WITH_SECURITY } from "../generate/expand-errors.js";
import type { Finding } from "./finding.js";

const BODY_LIMITS = [
  "default",
  "message",
  "batch",
  "multi",
  "federation",
  "keypackages",
  "infopackage",
  "provisioning",
  "slot",
  "bulk",
];
const PERMISSIONS = [
  "view_metrics",
  "manage_config",
  "view_audit",
  "verify_devices",
  "block_federation",
  "modify_rate_limits",
  "all",
];

const RATE_LIMIT_ERRORS = ["RATE_LIMIT_EXCEEDED", "INFOPACKAGE_RATE_LIMIT"];

/** Rules for operations: ids, texts, security, parameters, errors, examples. */
export function checkOperations(contract: Contract, catalogue: Catalogue): Finding[] {
  return operationsOf(contract).flatMap((placed) => {
    const faults = [
      ...naming(placed, contract),
      ...access(placed.operation),
      ...head(placed),
      ...sharedLink(placed),
      ...conditional(placed),
      ...parameters(placed),
      ...errors(placed.operation, catalogue),
      ...rateLimits(placed.operation),
      ...bodies(placed.operation),
    ];
    return faults.map((what) => ({ where: placed.operation.operationId, what }));
  });
}

function* naming({ operation }: PlacedOperation, contract: Contract): Generator<string> {
  if (!/^[a-z][A-Za-z0-9]*$/.test(operation.operationId ?? "")) yield "operationId must be in lowerCamelCase";
  const declared = contract.tags.map(({ name }) => name);
  if (operation.tags?.length !== 1) yield "must have exactly one tag";
  else if (!declared.includes(operation.tags[0] ?? "")) yield `the tag ${operation.tags[0]} is not declared`;
  if (!operation.summary || operation.summary.endsWith(".")) yield "must have a summary, without a full stop";
  if (!operation.description) yield "must have a description";
}

function* access(operation: Operation): Generator<string> {
  const { security } = operation;
  if (security === undefined) yield "must state its security, [] if it is open";
  const isOptional = operation["x-token-with"] !== undefined;
  if (security?.some((requirement, at) => Object.keys(requirement).length !== (isOptional && at === 0 ? 0 : 1))) {
    yield "each alternative of its security must name one scheme, but for {} first where x-token-with is";
  }
  const permission = operation["x-permission"];
  if (permission === undefined) return;
  if (!PERMISSIONS.includes(permission)) yield `x-permission: ${permission} does not exist`;
  if (securityOf(operation).join() !== "admin") yield "x-permission requires the security adminToken";
}

/** Only open pages that are fixed, or streamed to anybody, answer HEAD: other operations may count or use something up. */
function* head({ method, operation }: PlacedOperation): Generator<string> {
  if (operation["x-head"] === undefined) return;
  if (method !== "get") yield "x-head is for GET";
  if (operation["x-head"] !== true) yield "x-head must be true or absent";
  if (securityOf(operation).length > 0) yield "x-head is for operations without a token";
  const isFixed = !(operation.parameters ?? []).some((parameter) => parameter.in === "path");
  if (!isFixed && operation["x-streamed"] !== true) yield "x-head is for fixed pages and streamed answers";
}

/** Readers of a shared link get a page, which the contract must describe. */
function* sharedLink({ method, operation }: PlacedOperation): Generator<string> {
  if (operation["x-shared-link"] === undefined) return;
  if (operation["x-shared-link"] !== true) yield "x-shared-link must be true or absent";
  if (method !== "get" || securityOf(operation).length > 0) yield "x-shared-link is for GET without a token";
  const refusal = operation.responses["406"];
  if (refusal === undefined || "$ref" in refusal || refusal.content?.["text/html"] === undefined)
    yield "x-shared-link requires a response 406 with text/html";
}

/** Only a JSON body that is sent as a whole has an entity tag. */
function* conditional({ method, operation }: PlacedOperation): Generator<string> {
  if (operation["x-conditional"] === undefined) return;
  if (operation["x-conditional"] !== true) yield "x-conditional must be true or absent";
  if (method !== "get") yield "x-conditional is for GET";
  if (operation["x-streamed"] === true) yield "x-conditional is for answers that are not streamed";
}

function* parameters({ path, operation }: PlacedOperation): Generator<string> {
  const all = operation.parameters ?? [];
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? "");
  const described = all.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  if (inPath.toSorted().join() !== described.toSorted().join()) yield "path parameters and path differ";
  for (const parameter of all) yield* parameterFaults(parameter);
}

/** Express reads the names of path parameters from the path, so they use its alphabet. */
function* parameterFaults(parameter: Parameter): Generator<string> {
  const form = parameter.in === "header" ? /^[A-Z][A-Za-z-]*$/ : /^[a-z][a-z0-9_]*$/;
  if (!form.test(parameter.name))
    yield `the parameter ${parameter.name} does not have the form of names in ${parameter.in}`;
  if (!parameter.description) yield `the parameter ${parameter.name} must have a description`;
  if (parameter.schema === undefined) yield `the parameter ${parameter.name} must have a schema`;
  if (parameter.in !== "header" && isFreeText(parameter.schema)) {
    yield `the parameter ${parameter.name} must have a pattern that excludes U+0000, which no URL may contain`;
  }
  if (parameter.in === "query" && isAddress(parameter.schema) && parameter.allowReserved !== true) {
    yield `the parameter ${parameter.name} must have allowReserved, because its value may contain : and @`;
  }
}

function isFreeText(schema: Schema | undefined): boolean {
  return schema?.type === "string" && schema.enum === undefined && schema.pattern === undefined;
}

function isAddress(schema: Schema | undefined): boolean {
  return ["Address", "Domain"].includes(String(schema?.["$ref"]).split("/").at(-1) ?? "");
}

function* errors(operation: Operation, catalogue: Catalogue): Generator<string> {
  const listed = operation["x-errors"] ?? [];
  const automatic = [...ALWAYS, ...WITH_BODY, ...WITH_SECURITY, ...WITH_PERMISSION];
  for (const [index, id] of listed.entries()) {
    if (!catalogue.has(id)) yield `x-errors: ${id} is not in the catalogue`;
    if (listed.indexOf(id) !== index) yield `x-errors: ${id} is listed twice`;
    if (ALWAYS.includes(id) || (automatic.includes(id) && isAutomatic(operation, id))) {
      yield `x-errors: ${id} is added automatically`;
    }
  }
}

/** An operation names its limits if it can be refused because of one, and only then. */
function* rateLimits(operation: Operation): Generator<string> {
  const names = operation["x-rate-limits"];
  const isRefused = (operation["x-errors"] ?? []).some((id) => RATE_LIMIT_ERRORS.includes(id));
  if (isRefused !== (names !== undefined))
    yield `x-rate-limits and the errors ${RATE_LIMIT_ERRORS.join(", ")} go together`;
  for (const name of names ?? []) if (!/^[a-z][a-z_]*$/.test(name)) yield `x-rate-limits: ${name} is not snake_case`;
}

function isAutomatic(operation: Operation, id: string): boolean {
  if (WITH_BODY.includes(id)) return operation.requestBody !== undefined;
  if (WITH_PERMISSION.includes(id)) return operation["x-permission"] !== undefined;
  return WITH_SECURITY.includes(id) && (operation.security ?? []).length > 0;
}

const binary = "application/octet-stream";

function* bodies(operation: Operation): Generator<string> {
  const { requestBody } = operation;
  const limit = operation["x-body-limit"];
  if (limit !== undefined && !BODY_LIMITS.includes(limit)) yield `x-body-limit: ${limit} does not exist`;
  if (limit !== undefined && requestBody === undefined) yield "x-body-limit without a body";
  if (operation["x-items-checked-apart"] !== undefined && requestBody === undefined)
    yield "x-items-checked-apart without a body";
  if (operation["x-attached-bytes"] !== undefined && requestBody === undefined) yield "x-attached-bytes without a body";
  const isBytes = requestBody?.content[binary] !== undefined;
  if ((operation["x-streamed-body"] === true) !== isBytes) yield `x-streamed-body and a body of ${binary} go together`;
  // A validator takes an absent body that is marked in neither way for one of a wrong type.
  if (requestBody !== undefined && typeof requestBody.required !== "boolean")
    yield "must say whether its body is required";
  if (requestBody !== undefined) yield* contentFaults("the request", requestBody.content);
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!("$ref" in response) && response.content) yield* contentFaults(`the response ${status}`, response.content);
  }
}

function* contentFaults(of: string, content: Record<string, MediaType>): Generator<string> {
  for (const [type, media] of Object.entries(content)) {
    if (type === "application/json" && !("$ref" in media.schema)) yield `${of} must have a named schema`;
    if (type !== binary && Object.keys(media.examples ?? {}).length === 0)
      yield `${of} has no example in spec/examples`;
  }
}
