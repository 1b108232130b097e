import type { Awaitable } from "../../platform/concurrency/awaitable.js";
import type { Contract } from "../contract.js";
import type { Match } from "../dispatch.js";
import type { RequestContext } from "../request-context.js";
import type { OpenapiValidator } from "./openapi-validator.js";
import { createParameterReader } from "./parameters.js";

/** Checks the parameters and the body of a request, and sets them in its context. Throws INVALID_REQUEST, or `x-error`. */
export type RequestValidator = (context: RequestContext, match: Match<unknown>) => Awaitable<void>;

/**
 * The validator of an operation. The compiled validators accept nearly all requests, at once. A request that they refuse is
 * explained by express-openapi-validator, which may find that it is right after all: the compiled ones count long texts
 * in another unit, and know nothing of how unusual queries are spelled.
 */
export function createRequestValidator(
  operationId: string,
  { contract, openapi }: { contract: Contract; openapi: OpenapiValidator },
): RequestValidator {
  const acceptsBody = contract.bodyValidators[operationId];
  const acceptsParameters = contract.parameterValidators[operationId];
  const readParameters = createParameterReader(operationId, contract.openapi);
  return (context, match) => {
    readParameters(context, match);
    const { params: path, query, headers: header, body } = context;
    const isAccepted =
      (match.queryString === "" || plainQuery.test(match.queryString)) &&
      (body === undefined || acceptsBody?.(body) === true) &&
      (acceptsParameters === undefined || acceptsParameters({ path, query, header }));
    return isAccepted ? undefined : openapi.explain(operationId, context, match);
  };
}

/** Names with values of which every character stands for itself or is escaped. */
const plainQuery = /^\w+=[\w.~%-]+(?:&\w+=[\w.~%-]+)*$/;
