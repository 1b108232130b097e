import type { Awaitable } from "../platform/concurrency/awaitable.js";
import { RelayError } from "../protocol/errors.js";
import type { Authenticate } from "./request/contract.js";
import type { RequestContext } from "./request/request-context.js";
import { demandPermission } from "./required-permission.js";

/** What authentication needs to know about an operation. */
export interface Secured {
  readonly id: string;
  /** One for each kind of caller that the operation accepts; empty if anyone may call. */
  readonly authenticators: readonly Authenticate[];
  /** Whether a request without a token is taken as well; its caller is null. */
  readonly tokenOptional: boolean;
  /** The permission that an administrator must have; null if any caller may call. */
  readonly permission: string | null;
}

/**
 * Sets the caller of a request; waits only if its authenticator does.
 *
 * @throws RelayError INVALID_TOKEN, INSUFFICIENT_PERMISSIONS, or what the first authenticator throws
 */
export function authenticate(context: RequestContext, operation: Secured): Awaitable<void> {
  const { authenticators, id } = operation;
  const [only] = authenticators;
  if (only === undefined) return;
  if (operation.tokenOptional && context.req.headers.authorization === undefined) return;
  const token = bearerToken(context.req.headers.authorization);
  const accept = (principal: object): void => {
    demandPermission(principal, operation.permission);
    context.principal = principal;
    context.token = token;
  };
  if (authenticators.length > 1) return acceptAny(authenticators, (one) => one(token, id), accept);
  const principal = only(token, id);
  return principal instanceof Promise ? principal.then(accept) : accept(principal);
}

/** Takes the first kind of caller that a token belongs to; of several refusals, the first one is thrown. */
async function acceptAny(
  authenticators: readonly Authenticate[],
  ask: (authenticator: Authenticate) => Awaitable<object>,
  accept: (principal: object) => void,
): Promise<void> {
  const failures: unknown[] = [];
  for (const authenticator of authenticators) {
    try {
      return accept(await ask(authenticator));
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** The `token68` of RFC 9110, section 11.2. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of an Authorization header; throws INVALID_TOKEN if there is none. */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new RelayError("INVALID_TOKEN", "a bearer token is required");
  const token = bearer.exec(authorization)?.[1];
  if (token === undefined) throw new RelayError("INVALID_TOKEN", "the Authorization header must be: Bearer <token>");
  return token;
}
