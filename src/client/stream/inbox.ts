// Messages on their way to the application. A device has one inbox, and all that receive for it share it: streams, polls and pushes.
// So a message is passed to one `handle` at a time, whoever brought it, and is not passed again once it is handled. A message is identified
// by its id, its signature and its bytes. A handled one that comes again is acknowledged again: the first acknowledgement may be lost.

import { blake3 } from "@noble/hashes/blake3.js";
import type { components } from "../../../generated/openapi-types.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import { type IncomingMessage, readMessage } from "../messages/messages.js";
import { unlessAborted } from "../runtime/abort.js";
import { demandFunction, demandNumber, ifGiven } from "../runtime/arguments.js";
import type { Runtime } from "../runtime/runtime.js";

/** `online` only on a stream. */
type QueuedMessage = components["schemas"]["QueuedMessage"] & { online?: boolean };

export interface MessageHandling {
  /**
   * Called with one message at a time, unless `atOnce` says more. The message is acknowledged once this resolves, so store it first. If it throws, the message is
   * passed again after a second, then after two, four and so on up to a minute; other messages are not held up. `"drop"`: the
   * application has no use for the message, which is acknowledged like one that was handled.
   */
  handle(message: IncomingMessage): Promise<"drop" | undefined> | Promise<void> | "drop" | void;
  /**
   * Called instead of one more attempt when `handle` has failed `attempts` times. The message is acknowledged once this resolves. Without it,
   * a message is passed again until it is handled or expires at the relay.
   */
  onUndeliverable?: ((message: IncomingMessage, problem: unknown) => Promise<void> | void) | undefined;
  /** For how many messages `handle` may be called at once, in their order. Default 1. Who stores them by one transaction may take 100. */
  atOnce?: number | undefined;
  /** How often `handle` may fail for a message before `onUndeliverable` is called. Default 8, which takes one to two minutes. */
  attempts?: number | undefined;
}

/** One of those who receive for a device. */
export interface Handler extends MessageHandling {
  problem(this: void, problem: unknown): void;
  /** Messages wait for another attempt: they stay unacknowledged, and take up room in the relay's window. */
  onFailing?: (() => void) | undefined;
  /** Gets no message any more once this is aborted. */
  signal: AbortSignal;
}

export interface Inbox {
  /** Passes messages to this handler until its signal is aborted. */
  join(handler: Handler): void;
  /** Whether the message was new. It is passed to the handler that brought it or, if that has left, to the one that joined last. */
  offer(wire: QueuedMessage, handler: Handler): boolean;
  /** Number of queued messages that are not yet handled. */
  waiting(): number;
  /** Number of those that wait for another attempt. */
  failing(): number;
  /**
   * Fulfilled when every message has been passed to the application, even if handling failed, or the signal is aborted. False if it did
   * not wait, because another handler than `guest` has a message in hand: that one may be waiting for the caller.
   */
  settled(signal: AbortSignal, guest?: Handler): Promise<boolean>;
  /** Fulfilled when a handler that has left has no message in hand any more. */
  released(handler: Handler): Promise<void>;
}

interface InboxDeps {
  /** The message with this id may be acknowledged. */
  done(messageId: string): void;
  runtime: Pick<Runtime, "sleep" | "fraction">;
}

interface Entry {
  key: string;
  message: IncomingMessage;
  broughtBy: Handler;
  /** Ends the wait for another attempt; there is one once an attempt has failed. */
  pause?: AbortController;
}

const maxRemembered = 10_000;
const usualAttempts = 8;
const maxAttempts = 1_000;
const maxAtOnce = 1_000;
const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;

export function createInbox({ done, runtime }: InboxDeps): Inbox {
  /** The one that joined last comes last. */
  const handlers = new Set<Handler>();
  const entries = new Map<string, Entry>();
  const handled = new Map<string, boolean>();
  const failures = new Map<string, number>();
  let queue: Entry[] = [];
  let running: Promise<void> | undefined;
  let inHand: { entry: Entry; handler: Handler; passed: Promise<void> }[] = [];

  const stored = () => [...entries.values()].filter(({ message }) => !message.online);
  const finish = ({ key, message }: Entry): void => {
    entries.delete(key);
    failures.delete(key);
    remember(handled, key, true);
    if (!message.online) done(message.messageId);
  };
  const fail = async (entry: Entry, handler: Handler, problem: unknown): Promise<void> => {
    const { key, message } = entry;
    handler.problem(problem);
    const times = (failures.get(key) ?? 0) + 1;
    remember(failures, key, times);
    if (handler.onUndeliverable !== undefined && times >= (handler.attempts ?? usualAttempts)) {
      try {
        await handler.onUndeliverable(message, problem);
        return finish(entry);
      } catch (another) {
        handler.problem(another);
      }
    }
    if (handlers.size === 0) return void entries.delete(key);
    entry.pause = new AbortController();
    for (const one of handlers) one.onFailing?.();
    const longest = doublingWait(times, { first: firstPauseMillis, longest: longestPauseMillis });
    const waited = runtime.sleep(longest * (0.5 + 0.5 * runtime.fraction()), entry.pause.signal);
    waited.then(
      () => add(entry),
      () => undefined,
    );
  };
  const pass = async (entry: Entry, handler: Handler): Promise<void> => {
    try {
      await handler.handle(entry.message);
    } catch (problem) {
      return fail(entry, handler, problem);
    }
    finish(entry);
  };
  const handlerOf = ({ broughtBy }: Entry) => (handlers.has(broughtBy) ? broughtBy : [...handlers].at(-1));
  const run = async (): Promise<void> => {
    while (queue[0]) {
      // What is behind it may be for another handler, which takes fewer.
      for (const entry of queue.splice(0, handlers.size > 1 ? 1 : (handlerOf(queue[0])?.atOnce ?? 1))) {
        const handler = handlerOf(entry);
        if (handler) inHand.push({ entry, handler, passed: pass(entry, handler) });
      }
      await Promise.all(inHand.map(({ passed }) => passed));
      inHand = [];
    }
  };
  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (queue[0]) start();
    });
  };
  const add = (entry: Entry) => {
    if (entries.get(entry.key) !== entry) return;
    queue.push(entry);
    start();
  };
  /** Without a handler, only the message in hand is kept in mind: the relay has the others. */
  const leave = (handler: Handler) => {
    handlers.delete(handler);
    if (handlers.size > 0) return;
    queue = [];
    for (const entry of entries.values()) {
      if (inHand.some((one) => one.entry === entry)) continue;
      entry.pause?.abort();
      entries.delete(entry.key);
    }
  };

  return {
    join(handler) {
      if (handler.signal.aborted) return;
      handlers.add(handler);
      handler.signal.addEventListener("abort", () => leave(handler));
    },
    offer(wire, handler) {
      const key = keyOf(wire);
      if (handled.get(key)) done(wire.message_id);
      if (handled.get(key) || entries.has(key) || handlers.size === 0) return false;
      const message = readMessage(wire);
      if (!message) {
        handler.problem(new Error(`message ${wire.message_id} is not in base64`));
        done(wire.message_id);
        return false;
      }
      const entry = { key, message, broughtBy: handler };
      entries.set(key, entry);
      add(entry);
      return true;
    },
    waiting: () => stored().length,
    failing: () => stored().filter(({ pause }) => pause).length,
    async settled(signal, guest) {
      if (guest !== undefined && inHand.some(({ handler }) => handler !== guest)) return false;
      while (running !== undefined && !signal.aborted) await unlessAborted(running, signal).catch(() => undefined);
      return true;
    },
    async released(handler) {
      await Promise.all(inHand.map((one) => one.handler === handler && one.passed));
    },
  };
}

export function demandHandling(options: MessageHandling): void {
  demandFunction(options.handle, "handle");
  ifGiven(options.onUndeliverable, (onUndeliverable) => demandFunction(onUndeliverable, "onUndeliverable"));
  ifGiven(options.atOnce, (atOnce) => demandNumber(atOnce, "atOnce", [1, maxAtOnce]));
  ifGiven(options.attempts, (attempts) => demandNumber(attempts, "attempts", [1, maxAttempts]));
}

function keyOf({ message_id, sender_signature, mls_ciphertext }: QueuedMessage): string {
  return encodeHex(blake3(utf8(`${message_id} ${sender_signature} ${mls_ciphertext}`)));
}

/** The map forgets its oldest key when it has too many. */
function remember<V>(values: Map<string, V>, key: string, value: V): void {
  values.set(key, value);
  if (values.size > maxRemembered) for (const oldest of values.keys()) return void values.delete(oldest);
}
