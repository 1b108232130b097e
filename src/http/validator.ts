import type { Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import type { Contract, RouteEntry } from "./contract.js";
import { slimDocument } from "./slim-document.js";
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
 * we ask it once per operation, at start, and let Express find the route. At start, too, it is made to compile what it
 * would else compile at each operation's first request: a schema that cannot be compiled keeps the relay from starting.
 * (The answers' schemas are components, which it compiles as it loads them.) Its cache of compiled schemas does not
 * grow after that, because the Content-Type, which is part of the key, is normalised before the validator reads it.
 */
export function createValidator(needs: ValidatorNeeds): Validator {
  const steps = OpenApiValidator.middleware({
    apiSpec: slimDocument(needs.contract.openapi, { withResponses: needs.validateResponses }) as never,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false, allErrors: false },
    validateResponses: needs.validateResponses ? { coerceTypes: false, removeAdditional: false } : false,
    validateSecurity: { handlers: needs.securityHandlers },
    fileUploader: false,
    // The document is linted where it is made; what is left of it here would not pass.
    validateApiSpec: false,
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
  contexts: Map<string, OperationContext>;
}

function named(steps: RequestHandler[], name: string): RequestHandler {
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`express-openapi-validator has no step ${name}`);
  return step;
}

async function prepare(contract: Contract, parts: Parts): Promise<void> {
  throwIfError(await run(parts.load, sampleRequest("get", "/")));
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
  throwIfError(await run(find, req));
  const context = req.openapi;
  if (context?.schema.operationId !== operationId) throw new Error("the document has no such operation at its path");
  // The validator hands parameters on by the contract's names, Express by the route's: they must be the same.
  if (context.expressRoute !== route.path) throw new Error(`the route is not ${context.expressRoute}`);
  return context;
}

/** Lets the validator judge an empty request. Its verdict does not matter, that it has one does. */
async function compile(parts: Parts, operationId: string, route: RouteEntry): Promise<void> {
  const context = parts.contexts.get(operationId);
  for (const contentType of contentTypesOf(context?.schema.requestBody)) {
    const headers = contentType === null ? {} : { "content-type": contentType };
    const openapi = { ...context, pathParams: {} };
    const verdict = await run(parts.request, { ...sampleRequest(route.method, route.path), headers, openapi });
    if (!(verdict instanceof OpenApiValidator.error.BadRequest)) throwIfError(verdict);
  }
}

/** All that a request can come with when it reaches the validator. */
function contentTypesOf(requestBody: OperationSchema["requestBody"]): (string | null)[] {
  if (requestBody === undefined || requestBody === null) return [null];
  // The validator takes an absent body for a wrong one unless it is told expressly.
  if (requestBody.required === undefined) throw new Error("the contract must say whether the body is required");
  return requestBody.required ? ["application/json"] : ["application/json", null];
}

function throwIfError(error: unknown): void {
  if (error !== undefined) throw error;
}

/** Runs a step on no real request, and gives what it passes on: undefined, or an error. */
function run(step: RequestHandler, req: object): Promise<unknown> {
  return new Promise((resolve) => {
    step(req as Request, {} as Response, resolve as never);
  });
}

interface SampleRequest {
  headers: Record<string, string>;
  /** Set by the step that finds the operation. */
  openapi?: OperationContext;
  [part: string]: unknown;
}

function sampleRequest(method: string, path: string): SampleRequest {
  const url = path.replaceAll(/:\w+/g, "a-sample-of-it");
  const app = { param: () => undefined, enabled: () => true };
  const location = { method: method.toUpperCase(), path: url, originalUrl: url, baseUrl: "", app };
  return { ...location, headers: {}, query: {}, params: {}, body: {} };
}
