// A message to many that is all-or-nothing reaches nobody if one recipient is over the sender's or a queue's limit.

import { RelayError } from "../protocol/errors.js";
import { isRefused, type Outcome, type Refused, refusalError } from "./model/types.js";

const limitErrors: ReadonlySet<string> = new Set(["RATE_LIMIT_EXCEEDED", "QUEUE_FULL"]);
/** Maximum number of faulty members that an error names, as in the contract. */
const maxDetails = 100;

/**
 * Throws RATE_LIMIT_EXCEEDED for the sender's limit first, otherwise QUEUE_FULL, which names the recipients. `outcomes` are in the order of the
 * recipients, undefined for those that were not tried.
 */
export function refuseAllIfOne(outcomes: readonly (Outcome | undefined)[]): void {
  const refusals = outcomes.filter(isOverLimit);
  const [refusal] = [...refusals.filter(({ error }) => error !== "QUEUE_FULL"), ...refusals];
  if (refusal === undefined) return;
  if (refusal.error !== "QUEUE_FULL") throw refusalError(refusal);
  const details = outcomes.flatMap((outcome, i) =>
    isOverLimit(outcome) ? [{ path: `body/recipients/${i}`, message: outcome.message }] : [],
  );
  throw new RelayError("QUEUE_FULL", refusal.message, { extras: { details: details.slice(0, maxDetails) } });
}

/** Whether it is refused for its own sake, not because another one is. */
function isOverLimit(outcome: Outcome | undefined): outcome is Refused {
  return (
    outcome !== undefined && isRefused(outcome) && limitErrors.has(outcome.error) && outcome.withOthers === undefined
  );
}
