import type { Store, StoreChange, StoreRange } from "./store.js";

/** A store that ends with the program: for tests, and for members that need not come back. */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #values = new Map<string, Uint8Array>();
  #sorted: string[] | undefined = [];
  #release: (() => void) | undefined;
  #locked: Promise<void> | undefined;

  async lock({ wait, signal }: { wait: boolean; signal?: AbortSignal }): Promise<boolean> {
    while (this.#locked !== undefined) {
      if (!wait) return false;
      signal?.throwIfAborted();
      await this.#locked;
    }
    this.#locked = new Promise((resolve) => {
      this.#release = resolve;
    });
    return true;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#values.get(key)?.slice();
  }

  async list(range: StoreRange): Promise<[string, Uint8Array][]> {
    this.#sorted ??= [...this.#values.keys()].sort();
    const keys = inRange(this.#sorted, range);
    return keys.map((key) => [key, (this.#values.get(key) as Uint8Array).slice()]);
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    for (const [key, value] of changes) {
      if (value === undefined) this.#values.delete(key);
      else this.#values.set(key, value.slice());
    }
    this.#sorted = undefined;
  }

  async close(): Promise<void> {
    this.#locked = undefined;
    this.#release?.();
  }
}

function inRange(sorted: readonly string[], { prefix, after, before, limit, last = false }: StoreRange): string[] {
  const keys = sorted.filter(
    (key) => key.startsWith(prefix) && (after === undefined || key > after) && (before === undefined || key < before),
  );
  if (limit === undefined || keys.length <= limit) return keys;
  return last ? keys.slice(-limit) : keys.slice(0, limit);
}
