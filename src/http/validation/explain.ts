import type { Contract } from "../request/contract.js";
import type { RequestContext } from "../request/request-context.js";
import { openapiValidatorOf, type ValidatedRequest } from "./openapi-validator.js";
import {
  maxFaults,
  namesError,
  type Operation,
  type Violation,
  violationError,
  violationSegments,
} from "./violations.js";

/** A refusal by express-openapi-validator. */
interface Refusal {
  status: number;
  message: string;
  errors?: Violation[];
}

/**
 * Explains why a request is refused, or sets its parameters if it is valid after all.
 *
 * @throws RelayError INVALID_REQUEST, or the error that `x-error` names
 */
export async function explain(
  operationId: string,
  context: RequestContext,
  { queryString, contract }: { queryString: string; contract: Contract },
): Promise<void> {
  const validator = openapiValidatorOf(contract);
  const ask = async (body: unknown): Promise<Refusal | undefined> =>
    asRefusal(await validator.validateRequest(operationId, context, { queryString, body }));
  const refusal = await ask(context.body);
  const { openapi, query, headers } = context.req as ValidatedRequest;
  if (refusal !== undefined) {
    const operation = { schema: openapi.schema, document: contract.openapi };
    const errors = await allViolations(refusal, { operation, body: context.body, ask });
    throw violationError({ message: refusal.message, ...(errors !== undefined && { errors }) }, operation);
  }
  context.params = openapi.pathParams;
  context.query = query;
  context.headers = headers;
}

/** Any other error means that the contract, the table of routes and the package disagree. */
const refusals: readonly unknown[] = [400, 415];

function asRefusal(error: unknown): Refusal | undefined {
  if (error === undefined) return undefined;
  if (!refusals.includes((error as Partial<Refusal>).status)) throw error;
  return error as Refusal;
}

interface Search {
  operation: Operation;
  body: unknown;
  ask(body: unknown): Promise<Refusal | undefined>;
}

/**
 * The package stops at the first fault, so a large body with many faults costs no more than a body with one. If that
 * fault has a specific error (the extension `x-error`, for instance for an unknown key of the configuration), all
 * faults are reported: the faulty member is removed from a copy of the body, and the package is asked again until it
 * finds no more. Items of arrays are not removed, so the number of steps is at most the number of members of a small
 * body, and at most the number of faults that an answer names.
 */
async function allViolations({ errors }: Refusal, { operation, body, ask }: Search): Promise<Violation[] | undefined> {
  // If there are several, they are the errors of alternatives, and nobody knows which alternative was meant.
  const [first, second] = errors ?? [];
  if (first === undefined || second !== undefined || !namesError(first, operation)) return errors;
  const found = [first];
  const rest: unknown = structuredClone(body);
  while (found.length < maxFaults && removeMember(rest, found.at(-1) as Violation)) {
    const [further] = (await ask(rest))?.errors ?? [];
    // A required member that was removed is now missing, which is not the sender's fault; the search ends with it.
    if (further === undefined || found.some(({ path }) => path === further.path)) break;
    found.push(further);
  }
  return found;
}

/** Removes the faulty member from a body; false if there is none or it is an item of an array. */
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
