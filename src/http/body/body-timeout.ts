import { watchPace } from "../../platform/net/pace.js";
import { RelayError } from "../../protocol/errors.js";

// A body may take as long as it needs while it keeps arriving. It is REQUEST_TIMEOUT if it stops, or arrives too slowly.

export interface BodyTimeoutSettings {
  /** A body is given up if none of its bytes arrives for this long. */
  bodyStallSeconds: number;
  /** Or if fewer bytes arrive per second: over twice that time, or for a streamed body over all time that was spent waiting for it. */
  slowestBytesPerSecond: number;
}

/** For a body that is collected in memory. Ends when the returned function is called. */
export function watchBody(
  { bodyStallSeconds, slowestBytesPerSecond }: BodyTimeoutSettings,
  bytesSoFar: () => number,
  timedOut: (error: RelayError) => void,
): () => void {
  const rules = { silenceSeconds: bodyStallSeconds, leastBytesPerSecond: slowestBytesPerSecond };
  return watchPace(rules, bytesSoFar, () => timedOut(requestTimeout()));
}

/** For a body that is read as it arrives. Only time that was spent waiting for bytes counts, not the time that the reader took. */
export function timeStreamedBody({ bodyStallSeconds, slowestBytesPerSecond }: BodyTimeoutSettings) {
  let waitedMillis = 0;
  let bytes = 0;
  const wait = async <T>(next: Promise<T>): Promise<T> => {
    const begun = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const paused = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(requestTimeout()), bodyStallSeconds * 1000);
    });
    try {
      return await Promise.race([next, paused]);
    } finally {
      clearTimeout(timer);
      waitedMillis += performance.now() - begun;
    }
  };
  return {
    wait,
    arrived(length: number) {
      bytes += length;
      const expected = (waitedMillis / 1000 - bodyStallSeconds) * slowestBytesPerSecond;
      if (bytes < expected) throw requestTimeout();
    },
  };
}

function requestTimeout(): RelayError {
  return new RelayError("REQUEST_TIMEOUT", "the body arrives too slowly, or has stopped");
}
