import type { Request, RequestHandler, Response } from "express";
import type { OperationContext } from "./validator.js";
import { mostFaults, namesError, type Violation, violationSegments } from "./violations.js";

/** How the validator refuses a request. */
interface Refusal {
  errors?: Violation[];
}

/**
 * The validator stops at the first fault, so that a large body that is wrong all over costs no more than one that is
 * wrong once. Where that fault has an error of its own (the extension `x-error`, as for a wrong key of the
 * configuration), whoever sent it is told all of them: the member at fault is taken out of a copy of the body, and the
 * validator asked again, until it finds no more. Items of arrays are not taken out, so this ends after as many steps as
 * a small body has members, and at most after as many as an answer names.
 */
export function nameAllFaults(request: RequestHandler, document: unknown): RequestHandler {
  return (req, res, next) => {
    void request(req, res, ((refusal?: Refusal) => {
      const { openapi } = req as Request & { openapi?: OperationContext };
      // Several at once are those of alternatives, of which there is no telling which one was meant.
      const [first, second] = refusal?.errors ?? [];
      if (first === undefined || second !== undefined || openapi === undefined) return next(refusal);
      if (!namesError(first, { schema: openapi.schema, document })) return next(refusal);
      findMore(request, req, first).then((errors) => next(Object.assign(refusal as Refusal, { errors })), next);
    }) as never);
  };
}

async function findMore(request: RequestHandler, req: Request, first: Violation): Promise<Violation[]> {
  const found = [first];
  const body: unknown = structuredClone(req.body);
  while (found.length < mostFaults && remove(body, found.at(-1) as Violation)) {
    const copy = Object.create(req, { body: { value: body, writable: true } }) as Request;
    const [further] = (await verdict(request, copy))?.errors ?? [];
    // A required member that was taken out is now missing, which is no fault of the sender's; the search ends with it.
    if (further === undefined || found.some(({ path }) => path === further.path)) break;
    found.push(further);
  }
  return found;
}

function verdict(request: RequestHandler, req: Request): Promise<Refusal | undefined> {
  return new Promise((resolve) => void request(req, {} as Response, resolve as never));
}

/** Takes the member at fault out of a body; false where it is none, or an item of an array. */
function remove(body: unknown, violation: Violation): boolean {
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
