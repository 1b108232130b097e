// Messages on their way to the application. A message is known by its id, its signature and its bytes. It is either new,
// waiting (for its turn, or for another try), or dealt with; only a new one goes to the application, so that a message
// which the relay hands out again is not seen twice. One that was dealt with is acknowledged again, for the first
// acknowledgement may have been lost. Messages are handed over one at a time, in the order they came. Where the application
// throws, the message stays unacknowledged and is offered again later; those behind it go on.

import { blake3 } from "@noble/hashes/blake3.js";
import type { components } from "../../generated/openapi-types.js";
import { encodeHex, utf8 } from "../protocol/encodings.js";
import { type IncomingMessage, readMessage } from "./messages.js";
import type { Runtime } from "./runtime.js";

type QueuedMessage = components["schemas"]["QueuedMessage"];

export interface Inbox {
  /** Whether the message was new. */
  offer(wire: QueuedMessage): boolean;
  /** Messages that were offered and are not dealt with yet. */
  waiting(): number;
  /** Resolves when every message has had its turn, whatever came of it. */
  settled(): Promise<void>;
}

export interface InboxDeps {
  /** Resolves once the message is decrypted and stored, and may leave the relay. */
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

const mostRemembered = 10_000;
const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;

export function createInbox(deps: InboxDeps): Inbox {
  const { signal, runtime } = deps;
  const waiting = new Set<string>();
  const dealtWith = createMemory(mostRemembered);
  let queue: Entry[] = [];
  let failed: Entry[] = [];
  let pumping: Promise<void> | undefined;
  let isPausing = false;
  let pauseMillis = firstPauseMillis;

  const handOver = async (entry: Entry): Promise<void> => {
    try {
      await deps.handle(entry.message);
    } catch (problem) {
      failed.push(entry);
      deps.onProblem(problem);
      return;
    }
    waiting.delete(entry.key);
    dealtWith.add(entry.key);
    deps.done(entry.message.messageId);
  };
  const pump = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (signal.aborted) return;
      await handOver(next);
    }
    if (failed.length === 0) pauseMillis = firstPauseMillis;
    else if (!isPausing) void tryAgainLater();
  };
  const startPump = () => {
    pumping ??= pump().finally(() => {
      pumping = undefined;
      if (queue.length > 0 && !signal.aborted) startPump();
    });
  };
  const tryAgainLater = async (): Promise<void> => {
    isPausing = true;
    const millis = pauseMillis * (0.5 + 0.5 * runtime.fraction());
    pauseMillis = Math.min(longestPauseMillis, 2 * pauseMillis);
    await runtime.sleep(millis, signal).catch(() => undefined);
    isPausing = false;
    if (signal.aborted) return;
    queue = [...failed, ...queue];
    failed = [];
    startPump();
  };

  return {
    offer(wire) {
      const key = keyOf(wire);
      if (dealtWith.has(key)) deps.done(wire.message_id);
      if (dealtWith.has(key) || waiting.has(key)) return false;
      const message = readMessage(wire);
      if (message === undefined) {
        deps.onProblem(new Error(`message ${wire.message_id} is not in base64`));
        return false;
      }
      waiting.add(key);
      queue.push({ key, message });
      startPump();
      return true;
    },
    waiting: () => waiting.size,
    async settled() {
      while (pumping !== undefined) await pumping;
    },
  };
}

function keyOf({ message_id, sender_signature, mls_ciphertext }: QueuedMessage): string {
  return encodeHex(blake3(utf8(`${message_id} ${sender_signature} ${mls_ciphertext}`)));
}

/** Remembers so many keys, and forgets the oldest ones. */
function createMemory(most: number): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size > most) for (const oldest of keys) return void keys.delete(oldest);
    },
  };
}
