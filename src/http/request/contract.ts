import type { Awaitable } from "../../platform/concurrency/awaitable.js";

/** One operation as the generated route table describes it. */
export interface RouteEntry {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** With the contract's parameter names, each after a colon. */
  readonly path: string;
  readonly success: number;
  readonly security: readonly string[];
  /** Whether a request without a token is taken as well. */
  readonly tokenOptional?: boolean;
  /** The name of the body's limit; null if the operation takes no body. */
  readonly bodyLimit: string | null;
  /** The array in the body whose items are checked one by one. */
  readonly itemsCheckedApart?: string | null;
  /** The media type of JSON followed by bytes, if the operation also accepts such a body: see attached-bytes.ts. */
  readonly attachedBytes?: string | null;
  /** The permission that an administrator must have; null if any caller may call. */
  readonly permission: string | null;
  /** Whether the handler reads the body as it arrives. */
  readonly streamedBody?: boolean;
  /** Whether HEAD is answered like GET. */
  readonly head?: boolean;
  /** Whether people share its address: see shared-links.ts. */
  readonly sharedLink?: boolean;
  /** Whether its answer has an entity tag, and is 304 for a caller that sends this tag. */
  readonly conditional?: boolean;
}

/** What the HTTP layer knows of the contract: the bundled document and the tables generated from it. */
export interface Contract {
  readonly openapi: unknown;
  readonly routes: Readonly<Record<string, RouteEntry>>;
  /** Compiled validators by operation: of its body, if it takes one, and of its parameters, if it has any. */
  readonly bodyValidators: Readonly<Record<string, BodyValidator>>;
  readonly parameterValidators: Readonly<Record<string, ParameterValidator>>;
  /** Whose tokens each security scheme of the document accepts. */
  readonly securitySchemes: Readonly<Record<string, PrincipalKind>>;
}

/** Sets defaults, too. */
type BodyValidator = (body: unknown) => boolean;

/** Sets defaults, too. Names of headers are in lower case. */
type ParameterValidator = (given: { path: object; query: object; header: object }) => boolean;

export type PrincipalKind = "device" | "admin" | "federation";

/** Returns the holder of a bearer token, for an operation, or throws INVALID_TOKEN or another error. */
export type Authenticate = (token: string, operation: string) => Awaitable<object>;

export type Authenticators = Readonly<Record<PrincipalKind, Authenticate>>;

/** A handler as the HTTP layer calls it; the generated types bind each one to its operation. */
export type AnyHandler = (call: unknown) => Promise<AnyReply>;

export interface AnyReply {
  readonly status: number;
  /** The media type; JSON by default. */
  readonly type?: string;
  /** A value, or its chunks, for an operation whose body is streamed. */
  readonly body?: unknown;
  /** Used instead of JSON.stringify. */
  readonly encode?: (body: never) => string | Buffer;
  readonly headers?: Readonly<Record<string, unknown>>;
}
