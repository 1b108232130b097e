// What the SDK takes from the platform it runs on, Node.js or a browser. All of it can be replaced.

/** The part of a WebSocket that the stream uses; a browser's, Node's own, and that of the package `ws` have it. */
export interface SocketLike {
  onopen: ((event: unknown) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export interface Runtime {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Opens a WebSocket; what goes wrong later is told by its events. */
  openSocket(url: string): SocketLike | Promise<SocketLike>;
  /** Unix time in milliseconds by this device's clock. */
  nowMillis(): number;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
  /** Bytes fit for keys. */
  randomBytes(length: number): Uint8Array;
  /** Waits; rejects with the signal's reason as soon as that is aborted. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

/** The platform's own means, with the given ones in their place. */
export function runtimeWith(given: Partial<Runtime> = {}): Runtime {
  return { ...platformSurroundings, ...given };
}

const platformSurroundings: Runtime = {
  fetch: (url, init) => globalThis.fetch(url, init),
  openSocket: (url) => new (socketClass())(url),
  nowMillis: Date.now,
  fraction: Math.random,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  sleep,
};

type SocketClass = new (url: string) => SocketLike;

/** Node.js 20 has no WebSocket of its own; there the package `ws` serves, found at run time so that no bundler meets it. */
function socketClass(): SocketClass {
  const own = globalThis.WebSocket as unknown as SocketClass | undefined;
  if (own !== undefined) return own;
  const nodeModule = builtinModule<{ createRequire(from: string): (name: string) => unknown }>("node:module");
  if (nodeModule === undefined) throw new Error("there is no WebSocket here: pass `openSocket`");
  return nodeModule.createRequire(import.meta.url)("ws") as SocketClass;
}

/** A module of Node's, without an import that a browser would stumble over; `undefined` elsewhere. */
export function builtinModule<T>(name: string): T | undefined {
  const found: unknown = globalThis.process?.getBuiltinModule?.(name);
  return found as T | undefined;
}

function sleep(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, millis);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
