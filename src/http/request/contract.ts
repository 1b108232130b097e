import type { Awaitable } from "../../platform/concurrency/awaitable.js";

/** One operation as the generated route table describes it. */
export interface RouteEntry {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** With the contract's parameter names, each after a colon. */
  readonly path: string;
  readonly success: number;
  readonly security: readonly string[];
  /** Which limit the body has; null where the operation takes none. */
  readonly bodyLimit: string | null;
  /** The array in the body whose items are decided one by one. */
  readonly itemsCheckedApart?: string | null;
  /** The media type of a body of JSON with bytes behind it, which is taken as well: see attached-bytes.ts. */
  readonly attachedBytes?: string | null;
  /** What an admin must be permitted to do; null where any caller may. */
  readonly permission: string | null;
  /** Whether HEAD is answered where GET is. */
  readonly head?: boolean;
  /** Whether people send its address to each other: see shared-links.ts. */
  readonly sharedLink?: boolean;
  /** Whether its answer has an entity tag, and is 304 to a caller who sends it. */
  readonly conditional?: boolean;
}

/** What the HTTP layer knows of the contract: the bundled document and the tables generated from it. */
export interface Contract {
  readonly openapi: unknown;
  readonly routes: Readonly<Record<string, RouteEntry>>;
  /** Compiled validators by operation: of its body, where it takes one, and of its parameters, where it takes any. */
  readonly bodyValidators: Readonly<Record<string, BodyValidator>>;
  readonly parameterValidators: Readonly<Record<string, ParameterValidator>>;
  /** Whose token each security scheme of the document takes. */
  readonly securitySchemes: Readonly<Record<string, PrincipalKind>>;
}

/** Sets defaults, too. */
type BodyValidator = (body: unknown) => boolean;

/** Sets defaults, too. Names of headers are in lower case. */
type ParameterValidator = (given: { path: object; query: object; header: object }) => boolean;

export type PrincipalKind = "device" | "admin" | "federation";

/** Turns a bearer token into its holder, for an operation, or throws INVALID_TOKEN or another error. */
export type Authenticate = (token: string, operation: string) => Awaitable<object>;

export type Authenticators = Readonly<Record<PrincipalKind, Authenticate>>;

/** A handler as the HTTP layer calls it; the generated types bind each one to its operation. */
export type AnyHandler = (call: unknown) => Promise<AnyReply>;

export interface AnyReply {
  readonly status: number;
  /** The media type; JSON where there is none. */
  readonly type?: string;
  /** A value, or its chunks, for an operation whose body is streamed. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}
