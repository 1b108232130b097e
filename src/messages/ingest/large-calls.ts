import type { Weight } from "../../platform/concurrency/batcher.js";
import { splitByBytes } from "../../platform/split-by-bytes.js";
import { RelayError } from "../../protocol/errors.js";
import type { Refused } from "../model/types.js";
import type { IngestSettings } from "./config.js";
import type { Item, Job } from "./model/item.js";

// A large call writes more than a flush may: a long message to many recipients, or a delivery whose messages share a
// long ciphertext. Large calls are stored separately, so that nobody waits behind them: in parts, each in its own short
// transaction that locks only a few queues. Large calls take turns after each part. An all-or-nothing message is one
// part.

interface LargeCalls {
  /** Gives every item its outcome. Throws OVERLOADED if too much is in progress. */
  add(call: Job, weight: Required<Weight>): Promise<void>;
  /** Resolves when the current part is stored. The later parts are refused. */
  stop(): Promise<void>;
}

export function createLargeCalls(deps: {
  /** Gives the items of a part their outcomes. */
  store(part: Job): Promise<void>;
  config: Pick<IngestSettings, "intakeFlushBytes" | "intakeLargeBytes" | "intakeBufferBytes">;
}): LargeCalls {
  const { config } = deps;
  const underWay = { calls: 0, bytes: 0, writtenBytes: 0 };
  let lastTurn: Promise<void> = Promise.resolve();
  let stopped = false;

  const isTooMuch = ({ bytes, writtenBytes }: Required<Weight>): boolean =>
    underWay.bytes + bytes > config.intakeBufferBytes || underWay.writtenBytes + writtenBytes > config.intakeLargeBytes;
  const count = (sign: 1 | -1, { bytes, writtenBytes }: Required<Weight>): void => {
    underWay.calls += sign;
    underWay.bytes += sign * bytes;
    underWay.writtenBytes += sign * writtenBytes;
  };
  const storePart = async (part: Job): Promise<void> => {
    if (stopped) for (const item of part.items) item.outcome = stopping;
    else await deps.store(part);
  };
  const inTurn = (part: Job): Promise<void> => {
    const turn = lastTurn.then(() => storePart(part));
    lastTurn = turn.catch(() => undefined);
    return turn;
  };

  return {
    async add(call, weight) {
      if (stopped || (underWay.calls > 0 && isTooMuch(weight))) throw new RelayError("OVERLOADED", overloaded);
      count(1, weight);
      try {
        for (const part of portionsOf(call, config)) {
          await inTurn(part);
          noteCounted(part);
        }
      } finally {
        count(-1, weight);
      }
    },
    async stop() {
      stopped = true;
      await lastTurn;
    },
  };
}

/** The side effect of a call with several parts is left to its caller. */
function portionsOf(call: Job, { intakeFlushBytes }: Pick<IngestSettings, "intakeFlushBytes">): Job[] {
  const { items, toMany } = call;
  if (toMany?.allOrNothing) return [call];
  const portions = splitByBytes(items, ({ envelope }) => envelope.ciphertext.length, intakeFlushBytes);
  return portions.length === 1 ? [call] : portions.map((part) => ({ items: part, toMany }));
}

/** What one part counted is not counted again by the next. */
function noteCounted({ items, toMany }: Job): void {
  if (toMany === undefined) return;
  const { sends, misses } = toMany.counted ?? { sends: 0, misses: 0 };
  const usedAs = (kind: Item["used"]): number => items.filter(({ used }) => used === kind).length;
  toMany.counted = { sends: sends + usedAs("sends"), misses: misses + usedAs("misses") };
}

const overloaded = "too many large messages are waiting; try again in a moment";
const stopping: Refused = {
  error: "OVERLOADED",
  message: "the server is stopping; sending the message again does no harm",
};
