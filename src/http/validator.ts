import type { Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import type { Contract, RouteEntry } from "./contract.js";
import type { OperationSchema } from "./violations.js";

/** What the validator knows about the operation that a request is for; it reads it from `req.openapi`. */
export interface OperationContext {
  readonly expressRoute: string;
  readonly openApiRoute: string;
  readonly schema: OperationSchema & { operationId?: string };
  readonly serial: number;
}

/** express-openapi-validator taken apart: its steps in our order. */
export interface Validator {
  readonly security: RequestHandler;
  readonly request: RequestHandler;
  /** Replaces `res.json` by one that checks the body first; null where responses are not checked. */
  readonly response: RequestHandler | null;
  /** The context by operation id. Empty until `ready`. */
  readonly contexts: ReadonlyMap<string, OperationContext>;
  /** Rejects, naming the operation, where the contract and the route table differ or a schema cannot be compiled. */
  readonly ready: Promise<void>;
}

export interface ValidatorNeeds {
  contract: Contract;
  securityHandlers: Record<string, (req: Request) => Promise<boolean>>;
  validateResponses: boolean;
}

/**
 * The validator's own way to find a request's operation compiles the pattern of every path anew for every request. So
 * we ask it once per operation, at start, and let Express find the route. At start, too, it is made to compile every
 * schema, which it would else do at the first request; its cache of compiled schemas has one entry per operation then,
 * because nothing but the route decides the key (the Content-Type is normalised before it is read).
 */
export function createValidator(needs: ValidatorNeeds): Validator {
  const steps = OpenApiValidator.middleware({
    apiSpec: forValidation(needs.contract.openapi) as never,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false, allErrors: false },
    validateResponses: needs.validateResponses ? { coerceTypes: false, removeAdditional: false } : false,
    validateSecurity: { handlers: needs.securityHandlers },
    fileUploader: false,
    serDes: [],
  }) as unknown as RequestHandler[];
  const step = (name: string): RequestHandler => named(steps, name);
  const contexts = new Map<string, OperationContext>();
  const validator = {
    security: step("securityMiddleware"),
    request: step("requestMiddleware"),
    response: needs.validateResponses ? step("responseMiddleware") : null,
    contexts,
  };
  const ready = prepare(needs.contract, {
    ...validator,
    contexts,
    load: step("pathParamsMiddleware"),
    find: step("metadataMiddleware"),
  });
  // Whoever awaits it is told; nobody need have come so far.
  ready.catch(() => undefined);
  return { ...validator, ready };
}

interface Parts {
  load: RequestHandler;
  find: RequestHandler;
  request: RequestHandler;
  response: RequestHandler | null;
  contexts: Map<string, OperationContext>;
}

/**
 * The document as the validator is to see it. Without servers, so that paths are matched as they stand in the contract,
 * wherever a proxy mounts the relay. Without discriminators: the validator would merge the members of one alternative
 * into the next (it refuses good bodies then), while `oneOf` over single-valued tags says the same.
 */
function forValidation(document: unknown): object {
  return { ...(withoutDiscriminators(document) as object), servers: [{ url: "/" }] };
}

function withoutDiscriminators(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDiscriminators);
  if (typeof node !== "object" || node === null) return node;
  const members = Object.entries(node).filter(([key]) => !(key === "discriminator" && "oneOf" in node));
  return Object.fromEntries(members.map(([key, value]) => [key, withoutDiscriminators(value)]));
}

function named(steps: RequestHandler[], name: string): RequestHandler {
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`express-openapi-validator has no step ${name}`);
  return step;
}

async function prepare(contract: Contract, parts: Parts): Promise<void> {
  throwIfError(await run(parts.load, sampleRequest("get", "/"), sampleResponse(200)));
  for (const [operationId, route] of Object.entries(contract.routes)) {
    try {
      parts.contexts.set(operationId, await contextOf(operationId, route, parts.find));
      await compile(parts, operationId, route);
    } catch (cause) {
      throw new Error(`the contract's operation ${operationId} cannot be served: ${(cause as Error).message}`, {
        cause,
      });
    }
  }
}

async function contextOf(operationId: string, route: RouteEntry, find: RequestHandler): Promise<OperationContext> {
  const req = sampleRequest(route.method, route.path);
  throwIfError(await run(find, req, sampleResponse(200)));
  const context = req.openapi;
  if (context?.schema.operationId !== operationId) throw new Error("the document has no such operation at its path");
  // The validator hands parameters on by the contract's names, Express by the route's: they must be the same.
  if (context.expressRoute !== route.path) throw new Error(`the route is not ${context.expressRoute}`);
  return context;
}

/** Lets each validator judge an empty request and an empty answer. Their verdict does not matter, that they have one does. */
async function compile(parts: Parts, operationId: string, route: RouteEntry): Promise<void> {
  const context = parts.contexts.get(operationId);
  const { BadRequest, InternalServerError } = OpenApiValidator.error;
  for (const contentType of contentTypesOf(context?.schema.requestBody)) {
    const sample = sampleRequest(route.method, route.path);
    const headers = contentType === null ? {} : { "content-type": contentType };
    const req = { ...sample, headers, openapi: { ...context, pathParams: {} } };
    throwIfError(await run(parts.request, req, sampleResponse(route.success)), BadRequest);
    if (parts.response === null) continue;
    throwIfError(await runResponse(parts.response, req, sampleResponse(route.success)), InternalServerError);
  }
}

/** All that a request can come with when it reaches the validator. */
function contentTypesOf(requestBody: OperationSchema["requestBody"]): (string | null)[] {
  if (requestBody === undefined || requestBody === null) return [null];
  // The validator takes an absent body for a wrong one unless it is told expressly.
  if (requestBody.required === undefined) throw new Error("the contract must say whether the body is required");
  return requestBody.required ? ["application/json"] : ["application/json", null];
}

function throwIfError(error: unknown, expected?: new (...args: never[]) => Error): void {
  if (error !== undefined && !(expected !== undefined && error instanceof expected)) throw error;
}

/** Runs a step and gives what it passes on: undefined, or an error. */
function run(step: RequestHandler, req: object, res: object): Promise<unknown> {
  return new Promise((resolve) => {
    step(req as Request, res as Response, resolve as never);
  });
}

/** The step for answers does its work in the `res.json` that it puts in place; a failure comes by `next` as well. */
async function runResponse(step: RequestHandler, req: object, res: { json(body: unknown): void }): Promise<unknown> {
  let failure: unknown;
  const passed = await new Promise((resolve) => {
    const next = (error?: unknown): void => {
      failure = error;
      resolve(error);
    };
    step(req as Request, res as unknown as Response, next as never);
  });
  if (passed === undefined) res.json({});
  return failure;
}

function sampleRequest(method: string, path: string) {
  const url = path.replaceAll(/:\w+/g, "a-sample-of-it");
  const headers: Record<string, string> = {};
  const app = { param: () => undefined, enabled: () => true };
  const openapi: OperationContext | undefined = undefined as OperationContext | undefined;
  return {
    method: method.toUpperCase(),
    path: url,
    originalUrl: url,
    baseUrl: "",
    query: {},
    params: {},
    body: {},
    headers,
    app,
    openapi,
  };
}

function sampleResponse(statusCode: number) {
  return { statusCode, headersSent: false, getHeaders: () => ({}), json: (_body: unknown): void => undefined };
}
