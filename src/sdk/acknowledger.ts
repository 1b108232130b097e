import type { Caller } from "./calls.js";
import type { StreamLink } from "./stream-link.js";

/**
 * Sends acknowledgements by the stream while there is one, else by HTTP, several at a time. One that was sent and not
 * confirmed when the stream broke is not sent again on suspicion: it could hit another message of the same id. If it was
 * lost, the relay hands the message out once more, and then it is acknowledged anew.
 */
export interface Acknowledger {
  /** This message may leave the relay. */
  done(messageId: string): void;
  /** From now on by this stream; what waits is sent at once. Without a stream they wait for `flush`. */
  by(link: StreamLink | undefined): void;
  /** The stream confirmed an acknowledgement, or said that it failed. */
  answered(): void;
  /** Resolves when the stream has answered all that was sent by it. */
  allAnswered(): Promise<void>;
  /** Sends by HTTP what waits. Throws where that fails; they then go on waiting. */
  flush(): Promise<void>;
}

/** Most ids in one request, and in one frame. */
const mostPerRequest = 1_000;

export function createAcknowledger(caller: Caller): Acknowledger {
  let link: StreamLink | undefined;
  let waiting: string[] = [];
  let unanswered = 0;
  let onAllAnswered: (() => void) | undefined;

  const tellWhenAllAnswered = () => {
    if (unanswered === 0) onAllAnswered?.();
  };
  const sendWaiting = () => {
    while (waiting.length > 0) {
      const ids = waiting.slice(0, mostPerRequest);
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
    by(next) {
      link = next;
      unanswered = 0;
      tellWhenAllAnswered();
      sendWaiting();
    },
    answered() {
      unanswered = Math.max(0, unanswered - 1);
      tellWhenAllAnswered();
    },
    allAnswered: () =>
      new Promise((resolve) => {
        onAllAnswered = resolve;
        tellWhenAllAnswered();
      }),
    async flush() {
      while (waiting.length > 0) {
        const ids = waiting.slice(0, mostPerRequest);
        await caller.call("acknowledgeMessages", { body: { message_ids: ids } });
        waiting = waiting.slice(ids.length);
      }
    },
  };
}
