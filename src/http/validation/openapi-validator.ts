import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import type { Contract } from "../request/contract.js";
import type { RequestContext } from "../request/request-context.js";
import { originForm } from "../request/target.js";
import { documentedStatuses, type SlimDocument, slimDocuments } from "./slim-document.js";
import type { OperationSchema } from "./violations.js";

/** A request as processed by Express and express-openapi-validator. */
export interface ValidatedRequest extends Request {
  openapi: { schema: OperationSchema; pathParams: Record<string, unknown> };
}

/** Runs express-openapi-validator, a middleware for Express, for requests and answers that Express does not route. */
interface OpenapiValidator {
  /** Validates a request. Returns the package's error, or undefined if the request is valid. */
  validateRequest(operationId: string, { req, res }: RequestContext, parsed: ParsedRequest): Promise<unknown>;
  /** Returns how a JSON answer breaks the contract, or undefined. */
  checkAnswer(operationId: string, context: RequestContext, answer: CheckedAnswer): Promise<unknown>;
}

interface ParsedRequest {
  readonly queryString: string;
  readonly body: unknown;
}

interface CheckedAnswer {
  status: number;
  body?: unknown;
}

const created = new WeakMap<Contract, OpenapiValidator>();

/**
 * The validator of a contract. Loading it takes a second for the whole contract, so a process creates it once per
 * contract.
 */
export function openapiValidatorOf(contract: Contract): OpenapiValidator {
  const validator = created.get(contract) ?? createOpenapiValidator(contract);
  created.set(contract, validator);
  return validator;
}

function createOpenapiValidator({ openapi }: Contract): OpenapiValidator {
  const requestApps = createApps(openapi, "requests");
  const answerApps = createApps(openapi, "answers");
  let statuses: ReturnType<typeof documentedStatuses> | undefined;
  return {
    async validateRequest(operationId, { req, res }, parsed) {
      const app = await requestApps(operationId);
      prepare(req, parsed);
      return new Promise((resolve) => app(req as Request, res as Response, resolve));
    },
    async checkAnswer(operationId, { req, res, body }, answer) {
      // The package checks no answer of a failing server.
      if (answer.status >= 500) return undefined;
      const app = await answerApps(operationId);
      statuses ??= documentedStatuses(openapi);
      const status = String(answer.status);
      const names = [status, `${status[0]}XX`, "default"];
      if (!names.some((name) => statuses?.get(operationId)?.has(name))) return undocumented(answer);
      prepare(req, { queryString: "", body });
      res.statusCode = answer.status;
      return new Promise((resolve) => {
        // The package replaces `json` by a method that checks first. The pipeline sends the answer itself.
        const json = (): void => resolve(undefined);
        app(req as Request, Object.assign(res, { json, locals: { answer: answer.body } }) as never, resolve);
      });
    },
  };
}

async function undocumented({ status }: CheckedAnswer): Promise<Error> {
  const { error } = await import("express-openapi-validator");
  return new error.InternalServerError({ path: "/", message: `the operation has no answer with the status ${status}` });
}

/**
 * Does what other middleware would do first: sets the parsed body, and a target that is a path with a query. The
 * package keeps a compiled schema for every Content-Type, with its parameters, that it sees, so it always gets the same
 * one; the actual type was checked when the body was read.
 */
function prepare(req: IncomingMessage, { queryString, body }: ParsedRequest): void {
  req.url = `${originForm(req.url ?? "").path}?${queryString}`;
  if (body === undefined) delete req.headers["content-type"];
  else req.headers["content-type"] = "application/json";
  Object.assign(req, { originalUrl: req.url, body });
}

/**
 * The apps that validate the operations. The whole package takes 30 MB and a second to load, and valid requests never
 * reach it. So each part of the contract is loaded when one of its operations is first asked for.
 */
function createApps(openapi: unknown, validated: Validated): (operationId: string) => Promise<Express> {
  let documents: Map<string | undefined, SlimDocument> | undefined;
  const apps = new Map<SlimDocument, Promise<Express>>();
  return (operationId) => {
    documents ??= byOperation(slimDocuments(openapi, { withResponses: validated === "answers" }));
    const document = documents.get(operationId);
    if (document === undefined) throw new Error(`the contract has no operation ${operationId}`);
    const app = apps.get(document) ?? createApp(document, validated);
    apps.set(document, app);
    // The next request tries again: the process may have been out of file descriptors.
    app.catch(() => apps.delete(document));
    return app;
  };
}

type Validated = "requests" | "answers";

function byOperation(documents: SlimDocument[]): Map<string | undefined, SlimDocument> {
  const operationsOf = (item: object) => Object.values(item) as { operationId?: string }[];
  return new Map(
    documents.flatMap((document) =>
      Object.values(document.paths).flatMap((item) =>
        operationsOf(item).map(({ operationId }) => [operationId, document] as const),
      ),
    ),
  );
}

async function createApp(document: SlimDocument, validated: Validated): Promise<Express> {
  const OpenApiValidator = await loadPackage();
  const app = express();
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.disable("x-powered-by");
  app.set("query parser", "simple");
  const validator = OpenApiValidator.middleware({
    apiSpec: withHead(document) as never,
    validateRequests: validated === "requests" && {
      allowUnknownQueryParameters: false,
      coerceTypes: false,
      allErrors: false,
    },
    validateResponses: validated === "answers" && { coerceTypes: false, removeAdditional: false },
    // Callers are authenticated before a request is validated (see authenticate.ts).
    validateSecurity: false,
    fileUploader: false,
    // The document is linted where it is made; the slim one would not pass.
    validateApiSpec: false,
    serDes: [],
  });
  app.use(validator as unknown as RequestHandler[]);
  if (validated === "answers") app.use((_req, res) => void res.json(res.locals["answer"]));
  return app;
}

/**
 * For each document the package compiles the schema of all OpenAPI documents, also if it has not to check the document. That takes
 * longer than everything else that it does with one.
 */
async function loadPackage(): Promise<typeof import("express-openapi-validator")> {
  // Programs that run TypeScript give CommonJS modules another form if they are imported.
  const load = createRequire(import.meta.url);
  const documents = load("express-openapi-validator/dist/framework/openapi.schema.validator.js") as object;
  Object.assign(documents, { OpenAPISchemaValidator: UncheckedDocuments });
  return import("express-openapi-validator");
}

class UncheckedDocuments {
  validate(): { errors: never[] } {
    return { errors: [] };
  }
}

/** The router takes HEAD for GET where the contract offers it, and the package does not. */
function withHead({ paths, ...rest }: SlimDocument): SlimDocument {
  const items = Object.entries(paths).map(([path, item]) => {
    const get = (item as { get?: object }).get;
    return [path, get === undefined ? item : { ...item, head: structuredClone(get) }];
  });
  return { ...rest, paths: Object.fromEntries(items) };
}
