import type { Runtime } from "../runtime/runtime.js";
import { AnswerError } from "./failures.js";

/** The relay's time, as far as it is known: this device's clock until the relay reports that it is wrong. */
export interface RelayClock {
  nowMillis(): number;
  nowSeconds(): number;
  /** The relay's time, from an answer that has just arrived, in Unix seconds. */
  learn(serverSeconds: number): void;
  /** Takes the relay's time from the refusal of a signed request; false if the refusal has another reason. */
  learnFrom(refusal: AnswerError): boolean;
}

export function createRelayClock({ nowMillis }: Runtime): RelayClock {
  let offsetMillis = 0;
  const clock: RelayClock = {
    nowMillis: () => nowMillis() + offsetMillis,
    nowSeconds: () => Math.floor(clock.nowMillis() / 1000),
    learn(serverSeconds) {
      offsetMillis = serverSeconds * 1000 - nowMillis();
    },
    learnFrom({ extras }) {
      const { server_timestamp: serverSeconds } = extras;
      if (typeof serverSeconds !== "number") return false;
      clock.learn(serverSeconds);
      return true;
    },
  };
  return clock;
}

/**
 * Signs with the relay's time as far as it is known. A relay that refuses the time reports its own; then the whole
 * request is repeated once, because its challenge has been used.
 */
export async function withRelayTime<T>(clock: RelayClock, request: (now: () => number) => Promise<T>): Promise<T> {
  try {
    return await request(clock.nowSeconds);
  } catch (failure) {
    if (!(failure instanceof AnswerError) || !clock.learnFrom(failure)) throw failure;
    return request(clock.nowSeconds);
  }
}
