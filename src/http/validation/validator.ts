import type { Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import type { Contract, RouteEntry } from "../contract.js";
import { type SlimDocument, slimDocuments } from "../docs/slim-document.js";
import { securityHandlers } from "../security.js";
import type { OperationSchema } from "./violations.js";

/** What the validator knows about the operation that a request is for; it reads it from `req.openapi`. */
export interface OperationContext {
  readonly expressRoute: string;
  readonly openApiRoute: string;
  readonly schema: OperationSchema & { operationId?: string };
  readonly serial: number;
}

/** The steps of express-openapi-validator that a request takes, in our order. */
export interface Validator {
  readonly security: RequestHandler;
  readonly request: RequestHandler;
  /** Replaces `res.json` by one that checks the body first; null where responses are not checked. */
  readonly response: RequestHandler | null;
}

export interface Validators {
  /** The steps for an operation. */
  of(operationId: string): Validator;
  /** The context by operation id. Empty until `ready`. */
  readonly contexts: ReadonlyMap<string, OperationContext>;
  /** Rejects, naming the operation, where the contract and the route table differ or a schema cannot be compiled. */
  readonly ready: Promise<void>;
}

const compiled = { checked: new WeakMap<Contract, Validators>(), unchecked: new WeakMap<Contract, Validators>() };

/** The validators of a contract. Compiling them is most of what a start takes, so a process does it once for each. */
export function validatorsOf(contract: Contract, options: { validateResponses: boolean }): Validators {
  const known = compiled[options.validateResponses ? "checked" : "unchecked"];
  const validators = known.get(contract) ?? createValidators(contract, options.validateResponses);
  known.set(contract, validators);
  return validators;
}

/**
 * The validator's own way to find a request's operation compiles the pattern of every path anew for every request. So
 * we ask it once per operation, at start, and let Express find the route. At start, too, it is made to compile what it
 * would else compile at each operation's first request: a schema that cannot be compiled keeps the relay from starting.
 * (The answers' schemas are components, which it compiles as it loads them.) Its cache of compiled schemas does not
 * grow after that, because the Content-Type, which is part of the key, is normalised before the validator reads it.
 */
function createValidators(contract: Contract, withResponses: boolean): Validators {
  const contexts = new Map<string, OperationContext>();
  const parts = slimDocuments(contract.openapi, { withResponses }).map((document) => ({
    ...createPart(document, { contract, withResponses }),
    contexts,
    operations: operationsOf(document),
  }));
  const of = (operationId: string): Part => {
    const part = parts.find(({ operations }) => operations.has(operationId));
    if (part === undefined) throw unservable(operationId, "the document has no such operation");
    return part;
  };
  const ready = prepare(contract, { parts, of });
  // Whoever awaits it is told; nobody need have come so far.
  ready.catch(() => undefined);
  return { of, contexts, ready };
}

function createPart(
  document: SlimDocument,
  { contract, withResponses }: { contract: Contract; withResponses: boolean },
) {
  const steps = OpenApiValidator.middleware({
    apiSpec: document as never,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false, allErrors: false },
    validateResponses: withResponses ? { coerceTypes: false, removeAdditional: false } : false,
    validateSecurity: { handlers: securityHandlers(contract) },
    fileUploader: false,
    // The document is linted where it is made; what is left of it here would not pass.
    validateApiSpec: false,
    serDes: [],
  }) as unknown as RequestHandler[];
  const step = (name: string): RequestHandler => named(steps, name);
  return {
    security: step("securityMiddleware"),
    request: step("requestMiddleware"),
    response: withResponses ? step("responseMiddleware") : null,
    load: step("pathParamsMiddleware"),
    find: step("metadataMiddleware"),
  };
}

interface Part extends Validator {
  readonly load: RequestHandler;
  readonly find: RequestHandler;
  readonly contexts: Map<string, OperationContext>;
}

function named(steps: RequestHandler[], name: string): RequestHandler {
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`express-openapi-validator has no step ${name}`);
  return step;
}

function operationsOf({ paths }: SlimDocument): ReadonlySet<string | undefined> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { operationId?: string }[]);
  return new Set(operations.map(({ operationId }) => operationId));
}

async function prepare(contract: Contract, { parts, of }: { parts: Part[]; of(id: string): Part }): Promise<void> {
  for (const { load } of parts) throwIfError(await run(load, sampleRequest("get", "/")));
  for (const [operationId, route] of Object.entries(contract.routes)) {
    try {
      const part = of(operationId);
      part.contexts.set(operationId, await contextOf(operationId, route, part.find));
      await compile(part, operationId, route);
    } catch (cause) {
      throw unservable(operationId, (cause as Error).message, cause);
    }
  }
}

function unservable(operationId: string, why: string, cause?: unknown): Error {
  return new Error(`the contract's operation ${operationId} cannot be served: ${why}`, { cause });
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
async function compile(parts: Part, operationId: string, route: RouteEntry): Promise<void> {
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
