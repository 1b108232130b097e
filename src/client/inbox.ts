// Messages on their way to the application. A message is identified by its id, its signature and its bytes. It is new,
// waiting (in the queue or for another attempt), or handled. Only a new message is passed to the application, so the
// application sees a message only once even if the relay delivers it again. A handled message is acknowledged again,
// because the first acknowledgement may have been lost. The application gets messages one at a time, in the order of
// arrival. If it throws, the message stays unacknowledged and is passed again later; the messages behind it go on.

import { blake3 } from "@noble/hashes/blake3.js";
import type { components } from "../../generated/openapi-types.js";
import { encodeHex, utf8 } from "../protocol/encodings.js";
import { type IncomingMessage, readMessage } from "./messages.js";
import type { Runtime } from "./runtime.js";

type QueuedMessage = components["schemas"]["QueuedMessage"];

export interface Inbox {
  /** Whether the message was new. */
  offer(wire: QueuedMessage): boolean;
  /** Number of messages that are not yet handled. */
  waiting(): number;
  /** Resolves when every message has been passed to the application, even if handling failed. */
  settled(): Promise<void>;
}

export interface InboxDeps {
  /** Resolves once the message is decrypted and stored, after which the relay may delete it. */
  handle(message: IncomingMessage): Promise<void> | void;
  /** The message with this id may be acknowledged. */
  done(messageId: string): void;
  onProblem(problem: unknown): void;
  runtime: Pick<Runtime, "sleep" | "fraction">;
  signal: AbortSignal;
}

interface Entry {
  key: string;
  message: IncomingMessage;
}

const maxRemembered = 10_000;
const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;

export function createInbox(deps: InboxDeps): Inbox {
  const { signal, runtime } = deps;
  const waiting = new Set<string>();
  const handled = createMemory(maxRemembered);
  let queue: Entry[] = [];
  let failed: Entry[] = [];
  let running: Promise<void> | undefined;
  let isPausing = false;
  let pauseMillis = firstPauseMillis;

  const pass = async (entry: Entry): Promise<void> => {
    try {
      await deps.handle(entry.message);
    } catch (problem) {
      failed.push(entry);
      deps.onProblem(problem);
      return;
    }
    waiting.delete(entry.key);
    handled.add(entry.key);
    deps.done(entry.message.messageId);
  };
  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (signal.aborted) return;
      await pass(next);
    }
    if (failed.length === 0) pauseMillis = firstPauseMillis;
    else if (!isPausing) void retryLater();
  };
  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (queue.length > 0 && !signal.aborted) start();
    });
  };
  const retryLater = async (): Promise<void> => {
    isPausing = true;
    const millis = pauseMillis * (0.5 + 0.5 * runtime.fraction());
    pauseMillis = Math.min(longestPauseMillis, 2 * pauseMillis);
    await runtime.sleep(millis, signal).catch(() => undefined);
    isPausing = false;
    if (signal.aborted) return;
    queue = [...failed, ...queue];
    failed = [];
    start();
  };

  return {
    offer(wire) {
      const key = keyOf(wire);
      if (handled.has(key)) deps.done(wire.message_id);
      if (handled.has(key) || waiting.has(key)) return false;
      const message = readMessage(wire);
      if (message === undefined) {
        deps.onProblem(new Error(`message ${wire.message_id} is not in base64`));
        return false;
      }
      waiting.add(key);
      queue.push({ key, message });
      start();
      return true;
    },
    waiting: () => waiting.size,
    async settled() {
      while (running !== undefined) await running;
    },
  };
}

function keyOf({ message_id, sender_signature, mls_ciphertext }: QueuedMessage): string {
  return encodeHex(blake3(utf8(`${message_id} ${sender_signature} ${mls_ciphertext}`)));
}

/** Remembers up to `max` keys and forgets the oldest. */
function createMemory(max: number): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size > max) for (const oldest of keys) return void keys.delete(oldest);
    },
  };
}
