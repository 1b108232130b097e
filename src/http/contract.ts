import type { Awaitable } from "../platform/concurrency/awaitable.js";

/** One operation as the generated route table describes it. */
export interface RouteEntry {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** In the form of Express, with the contract's parameter names. */
  readonly path: string;
  readonly success: number;
  readonly security: readonly string[];
  /** Which limit the body has; null where the operation takes none. */
  readonly bodyLimit: string | null;
  /** The array in the body whose items are judged one by one. */
  readonly judgedItems?: string | null;
  /** What an admin must be permitted to do; null where any caller may. */
  readonly permission: string | null;
  /** Whether HEAD is answered where GET is. */
  readonly head?: boolean;
}

/** What the front door knows of the contract: the bundled document and the tables generated from it. */
export interface Contract {
  readonly openapi: unknown;
  readonly routes: Readonly<Record<string, RouteEntry>>;
  /** Checks of the bodies of operations that take little else, by operation; see short-way.ts. */
  readonly bodyValidators?: Readonly<Record<string, (body: unknown) => boolean>>;
  /** Of these, checks of what those take that take parameters. */
  readonly parameterValidators?: Readonly<Record<string, (given: { path: object; header: object }) => boolean>>;
  /** Whose token each security scheme of the document takes. */
  readonly securitySchemes: Readonly<Record<string, PrincipalKind>>;
}

export type PrincipalKind = "device" | "admin" | "federation";

/** Turns a bearer token into its holder, for an operation, or throws INVALID_TOKEN (or what else stands in the way). */
export type Authenticate = (token: string, operation: string) => Awaitable<object>;

export type Authenticators = Readonly<Record<PrincipalKind, Authenticate>>;

/** A handler as the front door calls it; the generated types bind each one to its operation. */
export type AnyHandler = (call: unknown) => Promise<AnyReply>;

export interface AnyReply {
  readonly status: number;
  /** The media type; JSON where there is none. */
  readonly type?: string;
  /** A value; or its pieces, for an operation whose body is streamed. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}
