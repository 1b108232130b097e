import { type ErrorName, errorStatuses } from "../../../generated/errors.js";
import type { SendResultFrame, StatusFrame } from "../../../generated/frames.js";
import type { components } from "../../../generated/openapi-types.js";
import { AnswerError, isContractError } from "../connection/failures.js";
import { unlessAborted } from "../runtime/abort.js";
import type { Runtime } from "../runtime/runtime.js";
import type { StreamLink } from "./stream-link.js";

type Message = components["schemas"]["SendMessageRequest"];
type Accepted = components["schemas"]["SendMessageResponse"];

/** Sends messages over the stream while one is open at a relay that supports this. */
export interface StreamSends {
  /** Starts using a stream after its first status frame. */
  use(link: StreamLink, opened: StatusFrame): void;
  /** This stream has ended. */
  leave(link: StreamLink): void;
  /** The stream has answered. */
  answered(result: SendResultFrame): void;
  /**
   * Sends a message. Resolves with `undefined` if the message must be sent by POST: there is no stream, the message
   * does not fit, the stream ended or stayed silent, or the relay refuses the token. Repeating it by POST does no harm. Throws
   * AnswerError if the relay refuses the message, as for a request, and the signal's reason if the signal is aborted.
   */
  send(message: Message, signal?: AbortSignal): Promise<Accepted | undefined>;
}

/** The longest base64 ciphertext that fits into a frame of 64 KiB with the rest of its message. */
const longestCiphertext = 60 * 1024;
const patienceMillis = 15_000;

export function createStreamSends({ sleep }: Pick<Runtime, "sleep">): StreamSends {
  const waiting = new Map<string, (result: SendResultFrame | undefined) => void>();
  let link: StreamLink | undefined;
  let maxInFlight = 0;

  const take = (key: string, result?: SendResultFrame): void => {
    const settle = waiting.get(key);
    waiting.delete(key);
    settle?.(result);
  };
  const resultOf = async (message: Message, signal?: AbortSignal): Promise<SendResultFrame | undefined> => {
    const key = keyOf(message);
    const fits = message.mls_ciphertext.length <= longestCiphertext;
    if (!fits || waiting.size >= maxInFlight || waiting.has(key)) return undefined;
    const over = new AbortController();
    const result = new Promise<SendResultFrame | undefined>((settle) => waiting.set(key, settle));
    if (!link?.send({ type: "send", message })) take(key);
    void sleep(patienceMillis, over.signal).then(
      () => take(key),
      () => undefined,
    );
    return unlessAborted(result, signal).finally(() => {
      over.abort();
      waiting.delete(key);
    });
  };

  /** What the stream before has not answered goes by POST. */
  const replaceLink = (next: StreamLink | undefined, max = 0) => {
    link = next;
    maxInFlight = max;
    for (const key of [...waiting.keys()]) take(key);
  };

  return {
    use(next, opened) {
      replaceLink(next, opened.max_sends_in_flight);
    },
    leave(ended) {
      if (ended === link) replaceLink(undefined);
    },
    answered: (result) => take(keyOf(result), result),
    async send(message, signal) {
      signal?.throwIfAborted();
      const result = await resultOf(message, signal);
      if (result?.status !== "rejected") return result === undefined ? undefined : acceptedOf(result);
      const status = errorStatuses[result.error as ErrorName] ?? 500;
      const body = errorOf(result);
      if (status === 401 || !isContractError(body)) return undefined;
      const headers = new Headers(
        result.retry_after === undefined ? {} : { "retry-after": String(result.retry_after) },
      );
      throw new AnswerError("sendMessage", { status, headers, body });
    },
  };
}

/** The relay writes ids with hyphens. */
function keyOf({ message_id, recipient_address = "" }: Pick<SendResultFrame, "message_id" | "recipient_address">) {
  return `${message_id.replaceAll("-", "").toLowerCase()} ${recipient_address}`;
}

function acceptedOf({ message_id, status, delivery_estimate = "delayed" }: SendResultFrame): Accepted {
  return { message_id, status: status === "federated" ? "federated" : "queued", delivery_estimate };
}

/** The members that the body of the refusal would have. */
function errorOf({ type: _, message_id: __, recipient_address: ___, status: ____, ...error }: SendResultFrame): object {
  return error;
}
