// AbortController and AbortSignal with the members that React Native's lack: `reason`, `throwIfAborted` and `AbortSignal.any`.

type Listener = (() => void) | { handleEvent(): void };
type ListenerOptions = { once?: boolean; signal?: AbortSignal };

class Signal {
  aborted = false;
  reason: unknown;
  onabort: (() => void) | null = null;
  readonly #listeners = new Set<Listener>();

  static any(signals: Iterable<Signal>): Signal {
    const joined = new Signal();
    const all = [...signals];
    const first = all.find(({ aborted }) => aborted);
    if (first !== undefined) abort(joined, first.reason);
    const follow = all.map((signal): [Signal, () => void] => [signal, () => abort(joined, signal.reason)]);
    for (const [signal, listener] of joined.aborted ? [] : follow) signal.addEventListener("abort", listener);
    joined.addEventListener("abort", () => {
      for (const [signal, listener] of follow) signal.removeEventListener("abort", listener);
    });
    return joined;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(type: string, listener: Listener, options: ListenerOptions | boolean = {}): void {
    if (type !== "abort" || this.aborted) return;
    this.#listeners.add(listener);
    const until = typeof options === "object" ? options.signal : undefined;
    until?.addEventListener("abort", () => this.removeEventListener(type, listener));
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Each listener is called, whatever the others throw. */
  dispatch(): void {
    const listeners = [...this.#listeners, ...(this.onabort === null ? [] : [this.onabort])];
    this.#listeners.clear();
    for (const listener of listeners) {
      try {
        if (typeof listener === "function") listener();
        else listener.handleEvent();
      } catch (problem) {
        setTimeout(() => {
          throw problem;
        });
      }
    }
  }
}

function abort(signal: Signal, reason: unknown): void {
  if (signal.aborted) return;
  signal.aborted = true;
  signal.reason = reason ?? new PlatformException("aborted", "AbortError");
  signal.dispatch();
}

class Controller {
  readonly signal = new Signal();

  abort(reason?: unknown): void {
    abort(this.signal, reason);
  }
}

class PlatformException extends Error {
  constructor(message = "", name = "Error") {
    super(message);
    this.name = name;
  }
}

export { Controller as AbortController, PlatformException as DOMException, Signal as AbortSignal };
