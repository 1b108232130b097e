import { LRUCache } from "lru-cache";

/**
 * A cache of the entries that were used last, at most `most` of them. It takes memory as it fills: given `max`, the package
 * would reserve the memory of a full cache at once, which for all caches of a relay is some 15 MB that a small one never uses.
 */
export function createLruCache<K extends {}, V extends {}>(most: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: most, sizeCalculation: () => 1 });
}
