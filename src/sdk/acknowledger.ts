import type { Caller } from "./calls.js";
import type { StreamLink } from "./stream-link.js";

/** Sends acknowledgements by the stream while there is one, else by HTTP, several at a time. */
export interface Acknowledger {
  /** This message may leave the relay. */
  done(messageId: string): void;
  /** From now on by this stream; what waits is sent at once. Without a stream they wait for `flush`. */
  by(link: StreamLink | undefined): void;
  /** Sends by HTTP what waits. Throws where that fails; they then go on waiting. */
  flush(): Promise<void>;
}

/** Most ids in one request, and in one frame. */
const mostPerRequest = 1_000;

export function createAcknowledger(caller: Caller): Acknowledger {
  let link: StreamLink | undefined;
  let waiting: string[] = [];

  return {
    done(messageId) {
      if (link === undefined) waiting.push(messageId);
      else link.send({ type: "ack", message_id: messageId });
    },
    by(next) {
      link = next;
      if (next === undefined) return;
      while (waiting.length > 0) next.send({ type: "ack_batch", message_ids: waiting.splice(0, mostPerRequest) });
    },
    async flush() {
      while (waiting.length > 0) {
        const ids = waiting.slice(0, mostPerRequest);
        await caller.call("acknowledgeMessages", { body: { message_ids: ids } });
        waiting = waiting.slice(ids.length);
      }
    },
  };
}
