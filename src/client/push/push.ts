import { decodeBase64 } from "../../protocol/encodings.js";
import type { AnswerOf, CallOptions } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import type { IncomingMessage } from "../messages/messages.js";
import {
  demandFunction,
  demandMillis,
  demandNonEmptyBytes,
  demandOneOf,
  demandOptions,
  demandString,
  ifGiven,
} from "../runtime/arguments.js";
import { callBack, waitForCallback } from "../runtime/callbacks.js";
import { type JsonObject, MalformedError, parseJsonObject } from "../runtime/json-shape.js";
import { demandHandling, type MessageHandling } from "../stream/inbox.js";
import { type QueueReaderDeps, readQueue } from "../stream/queue-reader.js";

/**
 * A push subscription as browsers hand it out (`PushSubscription.toJSON()`), whose type leaves everything optional. For UnifiedPush, fill
 * in the endpoint and the keys of the library.
 */
export interface PushSubscriptionKeys {
  endpoint?: string | undefined;
  /** Milliseconds since 1970. */
  expirationTime?: number | null | undefined;
  /** In base64url. */
  keys?: { p256dh?: string | undefined; auth?: string | undefined } | undefined;
}

export interface SubscribeOptions extends CallOptions {
  /** `high`: only messages wake the device; few key packages do not. */
  urgency?: "high" | "low" | undefined;
}

/** A message that `handle` fails for stays in the queue, unless the device is receiving. */
export interface PushHandling extends MessageHandling {
  /** Called with what the other functions throw. */
  onProblem?: ((problem: unknown) => unknown) | undefined;
  /** How many key packages the relay has for the device. */
  onKeyPackagesRemaining?: ((remaining: number) => unknown) | undefined;
  /** No new message is begun after this time. Platforms end what runs in the background after about 30 s. Default 20 s. */
  budgetMillis?: number | undefined;
}

export type HandledPush =
  /** The subscription is confirmed now. */
  | { type: "confirm" }
  /** A test that the device asked for. */
  | { type: "test" }
  /** `handled` messages were handled and acknowledged. If `isEmpty` is false, more are waiting, or some were not handled. */
  | { type: "wake"; handled: number; isEmpty: boolean };

/** Wake-ups for a device that holds no stream (Web Push, UnifiedPush). */
export interface DevicePush {
  /**
   * The relay's key, to pass as `applicationServerKey` when you subscribe at the push service; `undefined` if the relay sends no
   * pushes.
   */
  applicationServerKey(): Promise<(Uint8Array & { readonly buffer: ArrayBuffer }) | undefined>;
  /**
   * Tells the relay where to wake the device. Call it at each start of the application: it changes nothing if nothing has changed.
   * Until the first time is confirmed, which `handle` does, the relay sends nothing else.
   */
  subscribe(subscription: PushSubscriptionKeys, options?: SubscribeOptions): Promise<AnswerOf<"subscribeToPush">>;
  /** The relay's side of the subscription; rejects with NOT_FOUND if there is none. */
  status(options?: CallOptions): Promise<AnswerOf<"getPushSubscription">>;
  /** Lets the relay push at once, and returns what the push service said to that. */
  test(options?: CallOptions): Promise<AnswerOf<"testPushSubscription">>;
  unsubscribe(options?: CallOptions): Promise<AnswerOf<"unsubscribeFromPush">>;
  /**
   * Does what a push asks for: echoes a code, or polls, handles and acknowledges messages. `data` is the decrypted body, as the
   * platform hands it over; pass `undefined` for a push without one. Rejects if the relay cannot be reached. While another `handle` of
   * the client has a message, it leaves what it finds to that one, and does not wait: it may have been called there.
   */
  handle(data: Uint8Array | string | undefined, handling: PushHandling): Promise<HandledPush>;
}

const usualBudgetMillis = 20_000;

export function createDevicePush(connection: Connection, reading: QueueReaderDeps): DevicePush {
  const { runtime } = connection;
  const { caller } = reading;

  const wake = async (handling: PushHandling): Promise<HandledPush> => {
    const { handle, onUndeliverable, attempts, onProblem, onKeyPackagesRemaining: report } = handling;
    const problem = (what: unknown) => callBack(onProblem, [what]);
    const over = new AbortController();
    const end = () => over.abort();
    const budget = runtime.sleep(handling.budgetMillis ?? usualBudgetMillis, over.signal).then(end, end);
    let handled = 0;
    const handler = {
      onUndeliverable,
      attempts,
      problem,
      signal: over.signal,
      async handle(message: IncomingMessage) {
        if ((await handle(message)) === "drop") return "drop";
        handled += 1;
        return undefined;
      },
    };
    reading.inbox.join(handler);
    try {
      const { isEmpty } = await readQueue(reading, handler, { until: over.signal, isGuest: true });
      if (isEmpty && report !== undefined) {
        const { available_count: remaining } = await caller.call("getKeyPackageStatus");
        await waitForCallback(report, [remaining], problem);
      }
      return { type: "wake", handled, isEmpty };
    } finally {
      end();
      await budget;
    }
  };

  return {
    async applicationServerKey() {
      const { push } = await connection.discover();
      return push === undefined ? undefined : fromBase64Url(push.vapid_key);
    },
    async subscribe(subscription, { urgency, ...options } = {}) {
      const { endpoint, expirationTime, keys } = demandSubscription(subscription);
      ifGiven(urgency, (word) => demandOneOf(word, "urgency", ["high", "low"]));
      const body = {
        endpoint,
        p256dh: bare(keys.p256dh),
        auth: bare(keys.auth),
        ...(expirationTime != null && { expires_at: Math.floor(expirationTime / 1000) }),
        ...(urgency !== undefined && { urgency }),
      };
      return caller.call("subscribeToPush", { ...options, body });
    },
    status: (options = {}) => caller.call("getPushSubscription", options),
    test: (options = {}) => caller.call("testPushSubscription", options),
    unsubscribe: (options = {}) => caller.call("unsubscribeFromPush", options),
    async handle(data, handling) {
      demandPushHandling(handling);
      const { type, code } = readPush(data);
      if (type === "test") return { type };
      if (type !== "confirm") return wake(handling);
      await caller.call("confirmPushSubscription", { body: { code } });
      return { type };
    },
  };
}

/**
 * A push without a body, or of a kind that this version does not know, means: look at the queue. A push service may put a text
 * into an empty body: ntfy hands over "triggered".
 */
function readPush(data: Uint8Array | string | undefined): { type: string; code: string } {
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  const { type, code } = readObject(text);
  if (type === "confirm" && typeof code !== "string") throw new MalformedError("the push has no code");
  return { type: String(type), code: String(code ?? "") };
}

function readObject(text: string): JsonObject {
  try {
    return parseJsonObject(text, "the push");
  } catch {
    return {};
  }
}

function demandSubscription(subscription: PushSubscriptionKeys) {
  demandOptions(subscription, "subscription");
  const { endpoint = "", expirationTime, keys = {} } = subscription;
  demandString(endpoint, "subscription.endpoint");
  demandOptions(keys, "subscription.keys");
  const { p256dh = "", auth = "" } = keys;
  demandString(p256dh, "subscription.keys.p256dh");
  demandString(auth, "subscription.keys.auth");
  return { endpoint, expirationTime, keys: { p256dh, auth } };
}

function demandPushHandling(handling: PushHandling): void {
  demandOptions(handling, "handling");
  demandHandling(handling);
  ifGiven(handling.onProblem, (onProblem) => demandFunction(onProblem, "onProblem"));
  ifGiven(handling.onKeyPackagesRemaining, (report) => demandFunction(report, "onKeyPackagesRemaining"));
  ifGiven(handling.budgetMillis, (millis) => demandMillis(millis, "budgetMillis"));
}

/** Some libraries pad base64url. */
function bare(text: string): string {
  return text.replace(/=+$/, "");
}

function fromBase64Url(text: string) {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4);
  const bytes = decodeBase64(padded);
  demandNonEmptyBytes(bytes, "the relay's key");
  return Uint8Array.from(bytes ?? []);
}
