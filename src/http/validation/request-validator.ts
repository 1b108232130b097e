import type { Awaitable } from "../../platform/concurrency/awaitable.js";
import type { Contract } from "../request/contract.js";
import type { RequestContext } from "../request/request-context.js";
import { createNullRemover } from "./absent-nulls.js";
import { explain } from "./explain.js";
import { createBlankMembers } from "./items-apart.js";
import { createParameterReader, type RequestParameters } from "./parameters.js";

/** Checks the parameters and the body of a request, and sets them in its context. Throws INVALID_REQUEST, or `x-error`. */
export type RequestValidator = (context: RequestContext, parameters: RequestParameters) => Awaitable<void>;

/**
 * The validator of an operation. The compiled validators accept nearly all requests at once. express-openapi-validator
 * explains a request that they refuse, and may find that it is valid after all: the compiled validators count long
 * texts in another unit and do not know unusual spellings of queries.
 */
export function createRequestValidator(operationId: string, contract: Contract): RequestValidator {
  const acceptsBody = contract.bodyValidators[operationId];
  const acceptsParameters = contract.parameterValidators[operationId];
  const blankMembers = createBlankMembers(operationId, contract);
  const readParameters = createParameterReader(operationId, contract.openapi);
  const removeNulls = createNullRemover(operationId, contract.openapi);
  const isBodyAccepted = (sent: object | undefined): boolean =>
    sent === undefined || acceptsBody?.(sent) === true || (removeNulls(sent) && acceptsBody?.(sent) === true);
  return (context, parameters) => {
    readParameters(context, parameters);
    const { params: path, query, headers: header, body } = context;
    const isAccepted = (sent: object | undefined): boolean =>
      (parameters.queryString === "" || plainQuery.test(parameters.queryString)) &&
      isBodyAccepted(sent) &&
      (acceptsParameters === undefined || acceptsParameters({ path, query, header }));
    if (isAccepted(body)) return undefined;
    const blanked = body && blankMembers?.(body);
    if (blanked === undefined || !isAccepted(blanked)) {
      return explain(operationId, context, { queryString: parameters.queryString, contract });
    }
    context.body = blanked;
    return undefined;
  };
}

/** Names with values in which every character is literal or escaped. */
const plainQuery = /^\w+=[\w.~%-]+(?:&\w+=[\w.~%-]+)*$/;
