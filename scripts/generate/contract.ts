/** The parts of a bundled OpenAPI 3.1 document that the generator reads or writes. */
export interface Contract {
  openapi: string;
  info: {
    title: string;
    version: string;
    "x-interface-version": string;
    summary?: string;
    license?: { name: string; identifier?: string; url?: string };
  };
  tags: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    responses?: Record<string, ResponseObject>;
    headers?: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

type Method = "get" | "put" | "post" | "delete" | "patch";
type PathItem = Partial<Record<Method, Operation>>;

export interface Operation {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  /** The query parameter that needs the token; without it, a token is optional. */
  "x-token-with"?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject | Reference>;
  "x-errors"?: string[];
  "x-rate-limits"?: string[];
  "x-body-limit"?: string;
  "x-items-checked-apart"?: string;
  "x-attached-bytes"?: string;
  "x-permission"?: string;
  "x-streamed"?: boolean;
  "x-streamed-body"?: boolean;
  "x-head"?: boolean;
  "x-shared-link"?: boolean;
  "x-conditional"?: boolean;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  allowReserved?: boolean;
  schema: Schema;
}

interface Reference {
  $ref: string;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
  links?: Record<string, Link>;
}

interface Link {
  operationId: string;
  parameters?: Record<string, string>;
  requestBody?: unknown;
  "x-request-body"?: unknown;
}

export interface MediaType {
  schema: Schema | Reference;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Schema {
  [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  examples?: unknown[];
}

export interface PlacedOperation {
  method: Method;
  path: string;
  operation: Operation;
}

const METHODS: readonly Method[] = ["get", "put", "post", "delete", "patch"];

/** Every operation of the contract, in the order of its index. */
export function operationsOf(contract: Contract): PlacedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
}

/**
 * The success statuses, lowest first; there may be several. 304 is not included, because the pipeline answers it, not a
 * handler.
 */
export function successStatuses(operation: Operation): number[] {
  const found = Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 400 && status !== 304);
  if (found.length === 0) throw new Error(`${operation.operationId}: no success status`);
  return found.sort((a, b) => a - b);
}

/** Whose tokens an operation takes: `device`, `admin`, `federation`; empty for an open one. */
export function securityOf(operation: Operation): string[] {
  const requirements = operation.security ?? [];
  return requirements.flatMap((requirement) => Object.keys(requirement)).map(principalOf);
}

/** `deviceToken` is the scheme of the principal `device`. */
export function principalOf(scheme: string): string {
  return scheme.replace(/Token$/, "");
}
