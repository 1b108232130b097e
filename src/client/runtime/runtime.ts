// The functions of the platform (Node.js or a browser) that the SDK uses. Each of them can be replaced.

import { concatBytes, encodeBase64, utf8 } from "../../protocol/encodings.js";
import { onAbort } from "./abort.js";
import { builtinModule } from "./builtin-module.js";
import { loaded } from "./loading.js";

/**
 * The part of a WebSocket that the stream uses. The WebSockets of browsers, of Node.js and of the package `ws` have it.
 */
export interface SocketLike {
  onopen: ((event: unknown) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /**
   * How many bytes have arrived, those of frames that are not whole yet included. Without it, a frame that takes longer than a ping
   * interval ends the stream, and after two such ends the queue is polled.
   */
  bytesHeard?(): number;
}

export interface Runtime {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Opens a WebSocket. Its events report later failures. */
  openSocket(url: string): SocketLike | Promise<SocketLike>;
  /** Unix time in milliseconds by this device's clock. */
  nowMillis(): number;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
  /** Bytes suitable for keys. */
  randomBytes(length: number): Uint8Array;
  /** Waits; rejects with the signal's reason as soon as the signal is aborted. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** Calls a listener when the network or the application's page comes back, until the signal is aborted. */
  onResume(listener: () => void, until: AbortSignal): void;
}

/** The platform's functions, overridden by the given ones. */
export function runtimeWith(given: Partial<Runtime> = {}): Runtime {
  const { fetch, ...others } = given;
  // A browser's own `fetch` refuses to be called as a method of another object.
  return { ...platformRuntime, ...others, ...(fetch && { fetch: (url, init) => fetch(url, init) }) };
}

const platformRuntime: Runtime = {
  fetch: (url, init) => globalThis.fetch(url, init),
  openSocket: async (url) => new (await socketClass())(url),
  nowMillis: Date.now,
  fraction: Math.random,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  sleep,
  onResume,
};

type SocketClass = new (url: string) => SocketLike;

/** Node.js 20 has no global WebSocket. Only there is the replacement loaded. */
async function socketClass(): Promise<SocketClass> {
  const native = globalThis.WebSocket as unknown as SocketClass | undefined;
  const found =
    native ??
    (await loaded(import("./node-socket.js"))).nodeSocketClass({ builtinModule, concatBytes, encodeBase64, utf8 });
  if (found === undefined) throw new Error("this platform has no WebSocket: pass `openSocket`");
  return found;
}

/** A timer that is set to more than this ends at once. */
const longestTimerMillis = 2 ** 31 - 1;

function sleep(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(
      () => {
        leave?.();
        resolve();
      },
      Math.min(millis, longestTimerMillis),
    );
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const leave = signal === undefined ? undefined : onAbort(signal, stop);
  });
}

/** Only browsers report these events. Elsewhere the application calls `reconnectNow`. */
function onResume(listener: () => void, signal: AbortSignal): void {
  const { document } = globalThis as { document?: Document };
  globalThis.addEventListener?.("online", listener, { signal });
  const onVisible = () => document?.visibilityState === "visible" && listener();
  document?.addEventListener("visibilitychange", onVisible, { signal });
}
