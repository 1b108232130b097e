import type { Store, StoreChange, StoreRange } from "./store.js";

/** A store that ends with the program: for tests, and for members that need not come back. */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #values = new Map<string, Uint8Array>();
  /** The keys, in their order. */
  readonly #sorted: string[] = [];
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
    const keys = inRange(this.#sorted, range);
    return keys.map((key) => [key, (this.#values.get(key) as Uint8Array).slice()]);
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    for (const [key, value] of changes) {
      const [at, isThere] = [placeOf(key, this.#sorted), this.#values.has(key)];
      if (value === undefined) {
        this.#values.delete(key);
        if (isThere) this.#sorted.splice(at, 1);
      } else {
        this.#values.set(key, value.slice());
        if (!isThere) this.#sorted.splice(at, 0, key);
      }
    }
  }

  async close(): Promise<void> {
    this.#locked = undefined;
    this.#release?.();
  }
}

function inRange(sorted: readonly string[], { prefix, after, before, limit, last = false }: StoreRange): string[] {
  const isAfter = after !== undefined && after >= prefix;
  const low = isAfter ? placeOf(`${after}\0`, sorted) : placeOf(prefix, sorted);
  const end = placeOf(`${prefix}\uffff`, sorted);
  const high = before === undefined ? end : Math.min(end, placeOf(before, sorted));
  if (limit === undefined || high - low <= limit) return sorted.slice(low, Math.max(low, high));
  return last ? sorted.slice(high - limit, high) : sorted.slice(low, low + limit);
}

/** Where a key is, or would be. */
function placeOf(key: string, sorted: readonly string[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
