import type { Weight } from "../../platform/concurrency/batcher.js";
import { splitByBytes } from "../../platform/split-by-bytes.js";
import { RelayError } from "../../protocol/errors.js";
import type { Refused } from "../model/types.js";
import type { Call } from "./calls.js";
import type { IngestSettings } from "./config.js";
import { refused } from "./early-refusals.js";
import type { Answered } from "./model/stages.js";

// A large call writes more than a flush may: a long message to many recipients, or a delivery whose messages share a
// long ciphertext. Large calls are stored separately, so that nobody waits behind them: in parts, each in its own short
// transaction that locks only a few queues. Large calls take turns after each part. An all-or-nothing message is one
// part.

export interface LargeCalls {
  /** Answers all messages, in order. Throws OVERLOADED if too much is in progress. */
  add(call: Call, weight: Required<Weight>): Promise<readonly Answered[]>;
  /** Resolves when the current part is stored. The later parts are refused. */
  stop(): Promise<void>;
}

export function createLargeCalls(deps: {
  /** Stores a part and answers its messages, in order. */
  store(part: Call): Promise<readonly Answered[]>;
  config: Pick<IngestSettings, "intakeFlushBytes" | "intakeLargeBytes" | "intakeBufferBytes">;
}): LargeCalls {
  const { config } = deps;
  const underWay = { calls: 0, bytes: 0, writtenBytes: 0 };
  let lastTurn: Promise<unknown> = Promise.resolve();
  let stopped = false;

  const isTooMuch = ({ bytes, writtenBytes }: Required<Weight>): boolean =>
    underWay.bytes + bytes > config.intakeBufferBytes || underWay.writtenBytes + writtenBytes > config.intakeLargeBytes;
  const count = (sign: 1 | -1, { bytes, writtenBytes }: Required<Weight>): void => {
    underWay.calls += sign;
    underWay.bytes += sign * bytes;
    underWay.writtenBytes += sign * writtenBytes;
  };
  const storePart = async (part: Call): Promise<readonly Answered[]> =>
    stopped ? part.parsed.map(() => refused(stopping)) : deps.store(part);
  const inTurn = (part: Call): Promise<readonly Answered[]> => {
    const turn = lastTurn.then(() => storePart(part));
    lastTurn = turn.catch(() => undefined);
    return turn;
  };

  return {
    async add(call, weight) {
      if (stopped || (underWay.calls > 0 && isTooMuch(weight))) throw new RelayError("OVERLOADED", overloaded);
      count(1, weight);
      try {
        const answers: Answered[] = [];
        for (const part of portionsOf(call, config)) answers.push(...(await inTurn(part)));
        return answers;
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
function portionsOf(call: Call, { intakeFlushBytes }: Pick<IngestSettings, "intakeFlushBytes">): Call[] {
  const { parsed, toMany } = call;
  if (toMany?.allOrNothing) return [call];
  const portions = splitByBytes(parsed, ({ envelope }) => envelope.ciphertext.length, intakeFlushBytes);
  return portions.length === 1 ? [call] : portions.map((part) => ({ parsed: part, toMany, sideEffect: undefined }));
}

const overloaded = "too many large messages are waiting; try again in a moment";
const stopping: Refused = {
  error: "OVERLOADED",
  message: "the server is stopping; sending the message again does no harm",
};
