import type { Caller } from "../connection/calls.js";
import type { Runtime } from "../runtime/runtime.js";
import { createTurns } from "../runtime/turns.js";
import type { StreamLink } from "./stream-link.js";

/**
 * Sends a device's acknowledgements over the stream while one is open, otherwise over HTTP, several at a time. An acknowledgement
 * that was unconfirmed when the stream broke is not repeated, because it could remove another message with the same id.
 * If it was lost, the relay delivers the message again, and the message is then acknowledged. The same goes for those that wait when a
 * stream breaks because others on it have failed.
 */
export interface Acknowledger {
  /** Acknowledges a message: the relay may delete it. */
  done(messageId: string): void;
  /** Switches to this stream and sends the waiting ids at once. Without a stream they wait for `flush`. */
  use(link: StreamLink): void;
  /** This stream has ended. */
  leave(link: StreamLink): void;
  /** The stream confirmed an acknowledgement. */
  answered(link: StreamLink): void;
  /** The stream reported that an acknowledgement of these messages failed; all acknowledgements wait before they are repeated. */
  failed(link: StreamLink, ids: readonly string[], afterSeconds: number): void;
  /**
   * Fulfilled when the stream has answered every acknowledgement that was sent over it, or is not in use any more. Those that failed may
   * still wait.
   */
  allAnswered(link: StreamLink): Promise<void>;
  /** Sends the waiting ids over HTTP. Throws if that fails; the ids then keep waiting. */
  flush(): Promise<void>;
}

/** Maximum number of ids in one request and in one frame. */
const maxPerRequest = 1_000;
/** The clients of a relay see its database fail at the same time, and do not come back together. */
const jitter = 0.5;

export function createAcknowledger(
  caller: Caller,
  { sleep, fraction }: Pick<Runtime, "sleep" | "fraction">,
): Acknowledger {
  let link: StreamLink | undefined;
  let waiting: string[] = [];
  let unanswered = 0;
  /** Ends the wait after a failure. */
  let pause: AbortController | undefined;
  let onAllAnswered: (() => void)[] = [];
  const flushes = createTurns();

  const replaceLink = (next: StreamLink | undefined) => {
    link = next;
    unanswered = 0;
    if (pause !== undefined) waiting = [];
    pause?.abort();
    pause = undefined;
    resolveWhenAllAnswered();
  };
  const resolveWhenAllAnswered = () => {
    if (unanswered > 0) return;
    for (const resolve of onAllAnswered) resolve();
    onAllAnswered = [];
  };
  const sendWaiting = () => {
    while (waiting.length > 0 && pause === undefined) {
      const ids = waiting.slice(0, maxPerRequest);
      const [first = "", second] = ids;
      if (!link?.send(second ? { type: "ack_batch", message_ids: ids } : { type: "ack", message_id: first })) return;
      unanswered++;
      waiting.splice(0, ids.length);
    }
  };
  /** What fails meanwhile had been sent before, and does not prolong the wait. */
  const waitToRepeat = async (seconds: number) => {
    if (pause !== undefined) return;
    pause = new AbortController();
    await sleep(1000 * seconds * (1 + jitter * fraction()), pause.signal);
    pause = undefined;
    sendWaiting();
  };
  const flush = async () => {
    while (waiting.length > 0) {
      // A stream that opens meanwhile must not send them, too.
      const ids = waiting.splice(0, maxPerRequest);
      try {
        await caller.call("acknowledgeMessages", { body: { message_ids: ids } });
      } catch (problem) {
        waiting = [...ids, ...waiting];
        throw problem;
      }
    }
  };

  return {
    done(messageId) {
      // Those that were handled at once go in one frame.
      if (waiting.push(messageId) === 1) queueMicrotask(sendWaiting);
    },
    use(next) {
      replaceLink(next);
      sendWaiting();
    },
    leave(ended) {
      if (ended === link) replaceLink(undefined);
    },
    answered(by) {
      if (by !== link) return;
      unanswered = Math.max(0, unanswered - 1);
      resolveWhenAllAnswered();
    },
    failed(by, ids, afterSeconds) {
      if (by !== link) return;
      waiting.push(...ids);
      unanswered = Math.max(0, unanswered - 1);
      resolveWhenAllAnswered();
      void waitToRepeat(afterSeconds).catch(() => undefined);
    },
    allAnswered: async (of) => {
      if (of === link && unanswered > 0) await new Promise<void>((resolve) => onAllAnswered.push(resolve));
    },
    flush: () => flushes.take(flush),
  };
}
