import { onAbort } from "./abort.js";

/** The limit of one request. */
interface Deadline {
  /** Aborted when the limit has passed, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Something has arrived. */
  heard(): void;
  /** Ends the request, also one whose answer was dropped before it was read: it would hold its connection. */
  abandon(): void;
  /** Frees the timer and leaves the caller's signal. */
  end(): void;
}

interface DeadlineOptions {
  signal?: AbortSignal | undefined;
  /** A limit for all of it, whatever arrives. Without it, silence is limited. */
  timeoutSeconds?: number | undefined;
  /** How much is sent, which takes time before anything can arrive. */
  sentBytes: number;
}

const longestSilenceSeconds = 30;
const longestSeconds = 1_800;
/** The slowest link on which a large message can be sent. */
const slowestBytesPerSecond = 16 * 1024;

/** Has timers of its own: in Node.js 20, signals that were joined can be forgotten before they are aborted. */
export function startDeadline({ signal, timeoutSeconds, sentBytes }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const expire = (seconds: number) => () =>
    controller.abort(new DOMException(`nothing within ${Math.ceil(seconds)} seconds`, "TimeoutError"));
  const after = (seconds: number) => setTimeout(expire(seconds), 1000 * seconds);
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  const leave = signal === undefined ? undefined : onAbort(signal, follow);
  const whole = after(timeoutSeconds ?? longestSeconds);
  const silence = (seconds: number) => (timeoutSeconds === undefined ? after(seconds) : undefined);
  let quiet = silence(longestSilenceSeconds + sentBytes / slowestBytesPerSecond);
  let isOver = false;
  return {
    signal: controller.signal,
    heard() {
      if (isOver) return;
      clearTimeout(quiet);
      quiet = silence(longestSilenceSeconds);
    },
    abandon: () => controller.abort(),
    end() {
      isOver = true;
      clearTimeout(whole);
      clearTimeout(quiet);
      leave?.();
    },
  };
}
