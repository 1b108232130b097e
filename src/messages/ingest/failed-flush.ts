import type { Placement } from "../../database/placement.js";
import type { Logger } from "../../platform/logger.js";
import type { RelayError } from "../../protocol/errors.js";
import { isUnavailability, retrying } from "../model/retry.js";
import type { Refused } from "../model/types.js";
import type { Batch } from "./calls.js";
import { refused, without, withRefusals } from "./early-refusals.js";
import type { ParsedFlush } from "./flush.js";
import { type Answered, isAccepted, type Parsed } from "./model/stages.js";
import { unreachableBeforeLookUp } from "./unreachable-machines.js";

// What becomes of messages whose flush fails. No message can make another one fail: a flush that lost a race is
// repeated, and one that fails otherwise is split in halves until the faulty message is alone. A message to many is
// split last, and never if it is all or nothing. If a part of the database does not answer, messages that do not need
// it are stored without the others.

export interface Flushed {
  readonly answers: readonly Answered[];
  /** Notifies those who wait for the messages. Must not throw. */
  afterCommit(): void;
}

/** Answers the messages of a batch, in order, whatever happens to its flush. Never throws. */
export function createFlushOrRefuse(
  flush: (parsed: ParsedFlush) => Promise<Flushed>,
  { placement, logger }: { placement: Pick<Placement, "isDown" | "someAreDown" | "check">; logger: Logger },
): (batch: Batch) => Promise<readonly Answered[]> {
  const store = async ({ parsed, sideEffects }: Batch): Promise<readonly Answered[]> => {
    const unreachable = unreachableBeforeLookUp(parsed, placement);
    if (unreachable.size === parsed.length) return withRefusals(parsed, unreachable, []);
    let flushed: Flushed;
    try {
      flushed = await retrying(() => flush({ parsed, sideEffects, unreachable }));
    } catch (error) {
      return withRefusals(parsed, unreachable, await storeAfter(error, without(parsed, unreachable)));
    }
    // Not in the block above, which would store committed messages again.
    flushed.afterCommit();
    noteCounted(parsed, flushed.answers);
    return flushed.answers;
  };
  const storeAfter = async (error: unknown, parsed: readonly Parsed[]): Promise<readonly Answered[]> => {
    if (isUnavailability(error)) {
      await placement.check();
      const areReachable = unreachableBeforeLookUp(parsed, placement).size === 0;
      return areReachable ? parsed.map(() => refused(unavailableBecause(error))) : storeAlone(parsed);
    }
    const middle = middleOf(parsed);
    if (middle === undefined) {
      logger.error({ err: error }, "a message could not be stored");
      return parsed.map(() => refused(failed));
    }
    const first = await storeAlone(parsed.slice(0, middle));
    return [...first, ...(await storeAlone(parsed.slice(middle)))];
  };
  /** Side effects are left to their callers. */
  const storeAlone = (parsed: readonly Parsed[]): Promise<readonly Answered[]> => store({ parsed, sideEffects: [] });
  return store;
}

/** What one part of a message to many counted is not counted again by the next. */
function noteCounted(parsed: readonly Parsed[], answers: readonly Answered[]): void {
  for (const [i, { toMany }] of parsed.entries()) {
    const answer = answers[i];
    if (toMany === undefined || answer === undefined) continue;
    // A part within a share that has begun uses nothing of a window, but fills the share.
    const used = answer.used ?? (isAccepted(answer) ? "sends" : undefined);
    if (used === undefined) continue;
    toMany.counted ??= { sends: 0, misses: 0 };
    toMany.counted[used] += 1;
  }
}

/** Where to split messages whose flush failed; undefined if they cannot be split. */
function middleOf(parsed: readonly Parsed[]): number | undefined {
  const middle = Math.ceil(parsed.length / 2);
  const mayCut = (at: number): boolean => {
    const toMany = parsed[at]?.toMany;
    return at > 0 && at < parsed.length && (toMany === undefined || toMany !== parsed[at - 1]?.toMany);
  };
  for (let off = 0; off <= middle; off++) {
    if (mayCut(middle - off)) return middle - off;
    if (mayCut(middle + off)) return middle + off;
  }
  return parsed.length === 1 || parsed[0]?.toMany?.allOrNothing ? undefined : middle;
}

function unavailableBecause({ message }: Pick<RelayError, "message">): Refused {
  return { error: "DATABASE_UNAVAILABLE", message: `${message}; sending the message again does no harm` };
}

const failed: Refused = { error: "INTERNAL", message: "the message could not be stored" };
