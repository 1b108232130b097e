import type { ErrorId } from "../../../generated/errors.js";
import { errorCatalogue } from "../../../generated/errors.js";
import type { Answer } from "./requests.js";

const tooMany = 429;

/** The rule does not hold. */
export class Broken extends Error {}

/** It could not be determined whether the rule holds. */
export class NotChecked extends Error {}

/** A limit of the server kept the rule from being checked. */
export class LimitReached extends NotChecked {}

/** Throws a Broken if the condition is false. */
export function hold(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise);
}

/** Throws if two values differ as JSON. */
export function same(is: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(is), JSON.stringify(expected)];
  hold(left === right, `${what}: expected ${shorten(right)}, got ${shorten(left)}`);
}

/** The body of a success. Throws for any other answer: LimitReached if a limit is used up. */
export function success<B>(answer: Answer<B>, status?: number): Answer<B>["body"] {
  requireRoom(answer);
  const fits = status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status;
  hold(fits, `expected ${status ?? "success"}, got ${describe(answer)}`);
  return answer.body;
}

/** Throws if the answer is not one of these errors: LimitReached if the answer is a limit that none of them is about. */
export function refused(answer: Answer<unknown>, ...ids: readonly ErrorId[]): void {
  const fits = ids.some((id) => {
    const { error, code, status } = errorCatalogue[id];
    return answer.status === status && answer.body.error === error && answer.body.code === code;
  });
  if (!fits && !ids.some((id) => isLimit(errorCatalogue[id]))) requireRoom(answer);
  hold(fits, `expected ${ids.join(" or ")}, got ${describe(answer)}`);
}

/** Whether an answer says nothing about a rule: a limit is used up, or the server registers no devices. */
export function isLimit({ status, error }: { status: number; error?: unknown }): boolean {
  return status === tooMany || error === errorCatalogue.REGISTRATION_CLOSED.error;
}

function requireRoom(answer: Answer<unknown>): void {
  const { status, body } = answer;
  if (isLimit({ status, error: body.error })) throw new LimitReached(`a limit of the server: ${describe(answer)}`);
}

function describe({ status, body }: Answer<unknown>): string {
  return body.error === undefined ? String(status) : `${status} ${body.error} (${body.code}): ${body.message}`;
}

function shorten(text: string | undefined): string {
  return (text ?? "nothing").slice(0, 300);
}
