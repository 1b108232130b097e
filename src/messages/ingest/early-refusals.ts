import type { Refused } from "../model/types.js";
import type { Answered } from "./model/stages.js";

// Messages that are refused at an early stage are left out of the later ones. Their refusals are kept beside the stage
// by message, and are merged with what became of the others.

/** Refusals by message; nearly always empty. */
export type Refusals<Message> = ReadonlyMap<Message, Refused>;

export const noRefusals: Refusals<never> = new Map<never, never>();

/** The messages that were not refused. */
export function without<Message>(messages: readonly Message[], refusals: Refusals<Message>): readonly Message[] {
  return refusals.size === 0 ? messages : messages.filter((message) => !refusals.has(message));
}

/** The answers for all messages, in order. `others` belong to those that were not refused. */
export function withRefusals<Message>(
  messages: readonly Message[],
  refusals: Refusals<Message>,
  others: readonly Answered[],
): readonly Answered[] {
  if (refusals.size === 0) return others;
  let next = 0;
  return messages.map((message) => {
    const refusal = refusals.get(message);
    return refusal === undefined ? (others[next++] as Answered) : refused(refusal);
  });
}

/** The answer for a message that counts in no window because it was never decided. */
export function refused(outcome: Refused): Answered {
  return { outcome, used: undefined };
}
