import type { Caller } from "./calls.js";
import type { StreamLink } from "./stream-link.js";

/**
 * Sends acknowledgements over the stream while it is open, otherwise over HTTP, several at a time. An acknowledgement
 * that was unconfirmed when the stream broke is not repeated, because it could remove another message with the same id.
 * If it was lost, the relay delivers the message again, and the message is then acknowledged.
 */
export interface Acknowledger {
  /** Acknowledges a message: the relay may delete it. */
  done(messageId: string): void;
  /** Switches to this stream and sends the waiting ids at once. Without a stream they wait for `flush`. */
  use(link: StreamLink | undefined): void;
  /** The stream confirmed an acknowledgement, or reported that it failed. */
  answered(): void;
  /** Resolves when the stream has answered every acknowledgement that was sent over it. */
  allAnswered(): Promise<void>;
  /** Sends the waiting ids over HTTP. Throws if that fails; the ids then keep waiting. */
  flush(): Promise<void>;
}

/** Maximum number of ids in one request and in one frame. */
const maxPerRequest = 1_000;

export function createAcknowledger(caller: Caller): Acknowledger {
  let link: StreamLink | undefined;
  let waiting: string[] = [];
  let unanswered = 0;
  let onAllAnswered: (() => void) | undefined;

  const resolveWhenAllAnswered = () => {
    if (unanswered === 0) onAllAnswered?.();
  };
  const sendWaiting = () => {
    while (waiting.length > 0) {
      const ids = waiting.slice(0, maxPerRequest);
      const [only = "", ...others] = ids;
      const frame = { type: "ack_batch", message_ids: ids } as const;
      if (!link?.send(others.length === 0 ? { type: "ack", message_id: only } : frame)) return;
      unanswered++;
      waiting = waiting.slice(ids.length);
    }
  };

  return {
    done(messageId) {
      waiting.push(messageId);
      sendWaiting();
    },
    use(next) {
      link = next;
      unanswered = 0;
      resolveWhenAllAnswered();
      sendWaiting();
    },
    answered() {
      unanswered = Math.max(0, unanswered - 1);
      resolveWhenAllAnswered();
    },
    allAnswered: () =>
      new Promise((resolve) => {
        onAllAnswered = resolve;
        resolveWhenAllAnswered();
      }),
    async flush() {
      while (waiting.length > 0) {
        const ids = waiting.slice(0, maxPerRequest);
        await caller.call("acknowledgeMessages", { body: { message_ids: ids } });
        waiting = waiting.slice(ids.length);
      }
    },
  };
}
