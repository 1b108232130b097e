import type { Request, RequestHandler } from "express";
import { RelayError } from "../protocol/errors.js";
import type { Contract, PrincipalKind, RouteEntry } from "./contract.js";
import { exchangeOf, exchangeOfRequest } from "./request-context.js";

type SecurityHandler = (req: Request) => Promise<boolean>;

/** One handler per security scheme of the contract, in the form that the validator calls. */
export function securityHandlers(contract: Contract): Record<string, SecurityHandler> {
  const schemes = Object.entries(contract.securitySchemes);
  return Object.fromEntries(schemes.map(([scheme, kind]) => [scheme, handlerFor(contract, kind)]));
}

/**
 * Wraps the validator's security step. Of what a handler throws it keeps the status and the message only; so the error
 * itself waits in the exchange and is put in its place here.
 */
export function authenticate(security: RequestHandler): RequestHandler {
  return (req, res, next) =>
    security(req, res, (error?: unknown) => {
      const { authenticationFailure } = exchangeOf(res);
      if (error === undefined) return next();
      if (isServerFault(error) && authenticationFailure === null) return next(error);
      next(authenticationFailure ?? new RelayError("INVALID_TOKEN", "A bearer token is required."));
    });
}

function handlerFor(contract: Contract, kind: PrincipalKind): SecurityHandler {
  return async (req) => {
    const exchange = exchangeOfRequest(req);
    try {
      const token = bearerToken(req.headers.authorization);
      const operation = exchange.operation ?? "";
      const principal = await exchange.authenticators[kind](token, operation);
      checkPermission(principal, contract.routes[operation]);
      exchange.principal = principal;
      exchange.token = token;
      return true;
    } catch (error) {
      exchange.authenticationFailure ??= error;
      throw error;
    }
  };
}

/** The `token68` of RFC 9110, section 11.2. */
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of an Authorization header; throws INVALID_TOKEN where there is none. */
export function bearerToken(authorization: string | undefined): string {
  const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  if (token === undefined) throw new RelayError("INVALID_TOKEN", "The Authorization header must be: Bearer <token>.");
  return token;
}

/** What an operation asks for is part of the contract; what the caller may do comes from the authenticator. */
function checkPermission(principal: object, route: RouteEntry | undefined): void {
  const wanted = route?.permission ?? null;
  if (wanted === null) return;
  const { permissions = [] } = principal as { permissions?: readonly string[] };
  if (permissions.includes(wanted) || permissions.includes("all")) return;
  throw new RelayError("INSUFFICIENT_PERMISSIONS", `This needs the permission ${wanted}.`);
}

function isServerFault(error: unknown): boolean {
  return ((error as { status?: number }).status ?? 500) >= 500;
}
