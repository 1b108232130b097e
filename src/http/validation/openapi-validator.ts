import type { Request, RequestHandler, Response } from "express";
import type { Contract, RouteEntry } from "../request/contract.js";
import { type Match, parseQuery } from "../request/dispatch.js";
import type { RequestContext } from "../request/request-context.js";
import { type SlimDocument, slimDocuments } from "./slim-document.js";
import {
  mostFaults,
  namesError,
  type OperationSchema,
  type Violation,
  violationError,
  violationSegments,
} from "./violations.js";

/** express-openapi-validator, asked about one request or answer at a time, outside of Express. */
export interface OpenapiValidator {
  /**
   * Explains why a request is refused; or sets its parameters where it is right after all.
   *
   * @throws RelayError INVALID_REQUEST, or the error that `x-error` names
   */
  explain(
    operationId: string,
    context: RequestContext,
    match: Pick<Match<unknown>, "params" | "queryString">,
  ): Promise<void>;
  /** Returns how a JSON answer breaks the contract, or undefined. */
  checkAnswer(operationId: string, answer: CheckedAnswer): Promise<unknown>;
  /** Compiles everything. Rejects, naming the operation, where contract and route table differ or a schema is wrong. */
  compileAll(): Promise<void>;
}

const created = {
  checked: new WeakMap<Contract, OpenapiValidator>(),
  unchecked: new WeakMap<Contract, OpenapiValidator>(),
};

/** The validator of a contract. Compiling it takes a second for the whole contract, so a process does it once for each. */
export function openapiValidatorOf(contract: Contract, options: { validateResponses: boolean }): OpenapiValidator {
  const known = created[options.validateResponses ? "checked" : "unchecked"];
  const validator = known.get(contract) ?? createOpenapiValidator(contract, options.validateResponses);
  known.set(contract, validator);
  return validator;
}

type Package = typeof import("./bundled-validator.js");

/** What the package knows about the operation of a request; it reads it from `req.openapi`. */
interface OperationContext {
  readonly expressRoute: string;
  readonly openApiRoute: string;
  readonly schema: OperationSchema & { operationId?: string };
  readonly serial: number;
}

/** The steps of express-openapi-validator for some of the paths. */
interface Part {
  readonly find: RequestHandler;
  readonly request: RequestHandler;
  /** Null where responses are not checked. */
  readonly response: RequestHandler | null;
}

/** An operation and the part that checks it. */
interface Operation {
  readonly context: OperationContext;
  readonly part: Part;
}

type OperationOf = (operationId: string) => Promise<Operation>;

/**
 * The package's own way to find a request's operation compiles the pattern of every path again for every request. So it
 * is asked once for each operation. All of it takes 30 MB and a second to load, and is asked only about requests that the
 * compiled validators refuse, so each part is loaded when it is first asked. (The schemas of answers are components, which
 * it compiles when it loads them.) Its cache of compiled schemas is bounded by the contract: the Content-Type is part of the
 * key, and it is given one only.
 */
function createOpenapiValidator(contract: Contract, withResponses: boolean): OpenapiValidator {
  const parts = once(() =>
    slimDocuments(contract.openapi, { withResponses }).map((document) => ({
      operations: operationIdsOf(document),
      loaded: undefined as Promise<Part> | undefined,
      document,
    })),
  );
  const operations = new Map<string, Promise<Operation>>();
  const load = async (operationId: string): Promise<Operation> => {
    try {
      const found = parts().find((part) => part.operations.has(operationId));
      const route = contract.routes[operationId];
      if (found === undefined || route === undefined) throw new Error("the document has no such operation");
      found.loaded ??= loadPart(found.document, withResponses);
      const part = await found.loaded.catch((error: unknown) => {
        found.loaded = undefined;
        throw error;
      });
      return { part, context: await findContext(operationId, route, part.find) };
    } catch (cause) {
      throw unservable(operationId, (cause as Error).message, cause);
    }
  };
  const operationOf: OperationOf = (operationId) => {
    const known = operations.get(operationId) ?? load(operationId);
    operations.set(operationId, known);
    // The next request tries again: the process may have been out of file descriptors.
    known.catch(() => operations.delete(operationId));
    return known;
  };
  return {
    explain: (operationId, context, match) =>
      explain(operationId, { context, match, operationOf, document: contract.openapi }),
    checkAnswer: (operationId, answer) => checkAnswer(operationId, answer, operationOf),
    async compileAll() {
      for (const [operationId, route] of Object.entries(contract.routes)) {
        await compile(await operationOf(operationId), { operationId, route });
      }
      const ids = parts().flatMap((part) => [...part.operations]);
      const unrouted = ids.find((id) => contract.routes[id ?? ""] === undefined);
      if (unrouted !== undefined) throw unservable(unrouted, "the table of routes has no such operation");
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function loadPart(document: SlimDocument, withResponses: boolean): Promise<Part> {
  const { OpenApiValidator } = await loadPackage();
  const steps = OpenApiValidator.middleware({
    apiSpec: document as never,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false, allErrors: false },
    validateResponses: withResponses ? { coerceTypes: false, removeAdditional: false } : false,
    // Callers are authenticated before anything of a request is validated (see security.ts).
    validateSecurity: false,
    fileUploader: false,
    // The document is linted where it is made; the slim one would not pass.
    validateApiSpec: false,
    serDes: [],
  }) as unknown as RequestHandler[];
  const step = (name: string): RequestHandler => stepNamed(steps, name);
  throwIfError(await run(step("pathParamsMiddleware"), sampleRequest("get", "/")));
  return {
    request: step("requestMiddleware"),
    response: withResponses ? step("responseMiddleware") : null,
    find: step("metadataMiddleware"),
  };
}

function loadPackage(): Promise<Package> {
  return import("./bundled-validator.js");
}

function stepNamed(steps: RequestHandler[], name: string): RequestHandler {
  const step = steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`express-openapi-validator has no step ${name}`);
  return step;
}

function operationIdsOf({ paths }: SlimDocument): ReadonlySet<string | undefined> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { operationId?: string }[]);
  return new Set(operations.map(({ operationId }) => operationId));
}

function unservable(operationId: string, why: string, cause?: unknown): Error {
  return new Error(`the contract's operation ${operationId} cannot be served: ${why}`, { cause });
}

async function findContext(operationId: string, route: RouteEntry, find: RequestHandler): Promise<OperationContext> {
  const req = sampleRequest(route.method, route.path);
  throwIfError(await run(find, req));
  const context = req.openapi;
  if (context?.schema.operationId !== operationId) throw new Error("the document has no such operation at its path");
  // The package names parameters as the contract does, the dispatcher as the table does: they must be the same.
  if (context.expressRoute !== route.path) throw new Error(`the route is not ${context.expressRoute}`);
  return context;
}

/** Has an empty request validated. It may be refused; a fault of the schema is thrown. */
async function compile(
  { part, context }: Operation,
  { operationId, route }: { operationId: string; route: RouteEntry },
): Promise<void> {
  const { OpenApiValidator } = await loadPackage();
  for (const contentType of contentTypesOf(context.schema.requestBody)) {
    const headers = contentType === null ? {} : { "content-type": contentType };
    const openapi = { ...context, pathParams: {} };
    const answer = await run(part.request, { ...sampleRequest(route.method, route.path), headers, openapi });
    if (answer === undefined || answer instanceof OpenApiValidator.error.BadRequest) continue;
    throw unservable(operationId, (answer as Error).message, answer);
  }
}

/** Every Content-Type with which a request may reach the validator. */
function contentTypesOf(requestBody: OperationSchema["requestBody"]): (string | null)[] {
  if (requestBody === undefined || requestBody === null) return [null];
  // The package takes an absent body for a wrong one unless the contract says that it may be absent.
  if (requestBody.required === undefined) throw new Error("the contract must say whether the body is required");
  return requestBody.required ? ["application/json"] : ["application/json", null];
}

function throwIfError(error: unknown): void {
  if (error !== undefined) throw error;
}

/** Runs a step outside of Express, and returns what it passes on: undefined, or an error. */
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

/** A request as the package reads it. It replaces the query, as it does with the accessor of Express. */
class SentRequest {
  readonly method: string;
  readonly path: string;
  readonly originalUrl: string;
  readonly headers: Record<string, unknown>;
  readonly openapi: object;
  readonly #query: object;
  params: Record<string, unknown>;
  body: unknown;

  constructor({ context, match, body }: Explained & { body: unknown }, operation: OperationContext) {
    const { req } = context;
    this.method = req.method ?? "";
    this.originalUrl = req.url ?? "";
    this.path = this.originalUrl.split("?", 1)[0] ?? "";
    const { "content-type": _contentType, ...headers } = req.headers;
    this.headers = body === undefined ? headers : { ...headers, "content-type": "application/json" };
    this.#query = parseQuery(match.queryString);
    this.params = { ...match.params };
    this.body = body;
    this.openapi = { ...operation, pathParams: this.params };
  }

  get query(): object {
    return this.#query;
  }
}

interface Explained {
  context: RequestContext;
  match: Pick<Match<unknown>, "params" | "queryString">;
}

/** How the package refuses a request. */
interface Refusal {
  status: number;
  message: string;
  errors?: Violation[];
}

async function explain(
  operationId: string,
  given: Explained & { operationOf: OperationOf; document: unknown },
): Promise<void> {
  const { context, document } = given;
  const { part, context: operation } = await given.operationOf(operationId);
  const ask = async (body: unknown): Promise<{ sent: SentRequest; refusal: Refusal | undefined }> => {
    const sent = new SentRequest({ ...given, body }, operation);
    return { sent, refusal: asRefusal(await run(part.request, sent)) };
  };
  const { sent, refusal } = await ask(context.body);
  if (refusal !== undefined) {
    const schemas = { schema: operation.schema, document };
    const errors = await allViolations(refusal, {
      schemas,
      body: context.body,
      ask: async (body) => (await ask(body)).refusal,
    });
    throw violationError({ message: refusal.message, ...(errors !== undefined && { errors }) }, schemas);
  }
  context.params = sent.params;
  context.query = sent.query as Record<string, unknown>;
  context.headers = sent.headers as RequestContext["headers"];
}

function asRefusal(error: unknown): Refusal | undefined {
  if (error === undefined) return undefined;
  const { status } = error as Partial<Refusal>;
  if (status === undefined || status < 400 || status >= 500) throw error;
  return error as Refusal;
}

interface Search {
  schemas: Parameters<typeof namesError>[1];
  body: unknown;
  ask(body: unknown): Promise<Refusal | undefined>;
}

/**
 * The package stops at the first fault, so that a large body that is wrong all over costs no more than one that is wrong
 * once. Where that fault has an error of its own (the extension `x-error`, as for a wrong key of the configuration), all
 * faults are reported: the member at fault is removed from a copy of the body, and the package asked again, until it
 * finds no more. Items of arrays are not removed, so this ends after as many steps as a small body has members, and at
 * most after as many as an answer names.
 */
async function allViolations({ errors }: Refusal, { schemas, body, ask }: Search): Promise<Violation[] | undefined> {
  // Several at once are those of alternatives, and nobody knows which one was meant.
  const [first, second] = errors ?? [];
  if (first === undefined || second !== undefined || !namesError(first, schemas)) return errors;
  const found = [first];
  const rest: unknown = structuredClone(body);
  while (found.length < mostFaults && removeMember(rest, found.at(-1) as Violation)) {
    const [further] = (await ask(rest))?.errors ?? [];
    // A required member that was removed is now missing, which is not the sender's fault; the search ends with it.
    if (further === undefined || found.some(({ path }) => path === further.path)) break;
    found.push(further);
  }
  return found;
}

/** Removes the member at fault from a body; false where it is none, or an item of an array. */
function removeMember(body: unknown, violation: Violation): boolean {
  const [place, ...segments] = violationSegments(violation);
  const last = segments.pop();
  if (place !== "body" || last === undefined) return false;
  let parent = body;
  for (const segment of segments) parent = isObject(parent) ? parent[segment] : undefined;
  return isObject(parent) && Object.hasOwn(parent, last) && delete parent[last];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface CheckedAnswer {
  status: number;
  body: unknown;
  /** The header of the request. */
  accept: string | undefined;
}

/** The package checks what is given to `res.json`, and reports a fault by calling `next` a second time. */
async function checkAnswer(
  operationId: string,
  { status, body, accept }: CheckedAnswer,
  operationOf: OperationOf,
): Promise<unknown> {
  const { part, context: operation } = await operationOf(operationId);
  const { response } = part;
  if (response === null) return undefined;
  const req = {
    method: operationId,
    originalUrl: operation.openApiRoute,
    headers: { accept },
    openapi: operation,
  };
  const res = {
    statusCode: status,
    headersSent: false,
    getHeaders: () => ({}),
    json: (_body: unknown): void => undefined,
  };
  return new Promise((resolve) => {
    let isHooked = false;
    response(req as never, res as never, (error?: unknown) => {
      if (isHooked || error !== undefined) return resolve(error);
      isHooked = true;
      res.json(body);
      resolve(undefined);
    });
  });
}
