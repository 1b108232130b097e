import { LRUCache } from "lru-cache";

/**
 * A cache of the most recently used entries, at most `max`. It takes memory as it fills: with its own `max` option the
 * package would reserve the memory of a full cache at once, about 15 MB for all caches of a relay, which a small relay
 * never uses.
 */
export function createLruCache<K extends {}, V extends {}>(max: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1 });
}
