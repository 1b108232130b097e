import type { Caller } from "../connection/calls.js";
import { createTurns } from "../runtime/turns.js";
import type { StreamLink } from "./stream-link.js";

/**
 * Sends a device's acknowledgements over the stream while one is open, otherwise over HTTP, several at a time. An acknowledgement
 * that was unconfirmed when the stream broke is not repeated, because it could remove another message with the same id.
 * If it was lost, the relay delivers the message again, and the message is then acknowledged.
 */
export interface Acknowledger {
  /** Acknowledges a message: the relay may delete it. */
  done(messageId: string): void;
  /** Switches to this stream and sends the waiting ids at once. Without a stream they wait for `flush`. */
  use(link: StreamLink): void;
  /** This stream has ended. */
  leave(link: StreamLink): void;
  /** The stream confirmed an acknowledgement, or reported that it failed. */
  answered(link: StreamLink): void;
  /** Fulfilled when the stream has answered every acknowledgement that was sent over it, or is not in use any more. */
  allAnswered(link: StreamLink): Promise<void>;
  /** Sends the waiting ids over HTTP. Throws if that fails; the ids then keep waiting. */
  flush(): Promise<void>;
}

/** Maximum number of ids in one request and in one frame. */
const maxPerRequest = 1_000;

export function createAcknowledger(caller: Caller): Acknowledger {
  let link: StreamLink | undefined;
  let waiting: string[] = [];
  let unanswered = 0;
  let onAllAnswered: (() => void)[] = [];
  const flushes = createTurns();

  const replaceLink = (next: StreamLink | undefined) => {
    link = next;
    unanswered = 0;
    resolveWhenAllAnswered();
  };
  const resolveWhenAllAnswered = () => {
    if (unanswered > 0) return;
    for (const resolve of onAllAnswered) resolve();
    onAllAnswered = [];
  };
  const sendWaiting = () => {
    while (waiting.length > 0) {
      const ids = waiting.slice(0, maxPerRequest);
      const [first = "", second] = ids;
      if (!link?.send(second ? { type: "ack_batch", message_ids: ids } : { type: "ack", message_id: first })) return;
      unanswered++;
      waiting.splice(0, ids.length);
    }
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
    allAnswered: async (of) => {
      if (of === link && unanswered > 0) await new Promise<void>((resolve) => onAllAnswered.push(resolve));
    },
    flush: () => flushes.take(flush),
  };
}
