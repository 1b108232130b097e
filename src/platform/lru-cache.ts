import { LRUCache } from "lru-cache";

const caches = new Set<WeakRef<{ clear(): void }>>();

/**
 * A cache of the most recently used entries, at most `max`. It takes memory as it fills: with its own `max` option the
 * package would reserve the memory of a full cache at once, about 15 MB for all caches of a relay, which a small relay
 * never uses.
 */
export function createLruCache<K extends {}, V extends {}>(max: number): LRUCache<K, V> {
  const cache = new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1 });
  caches.add(new WeakRef(cache));
  return cache;
}

/**
 * Empties all caches of the process. Entries carry times until which they hold, and a clock that is set back would keep them for that
 * much longer. Any entry may go at any time anyway.
 */
export function emptyLruCaches(): void {
  for (const known of caches) {
    const cache = known.deref();
    if (cache === undefined) caches.delete(known);
    else cache.clear();
  }
}
