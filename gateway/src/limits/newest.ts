import { LRUCache } from 'lru-cache';

/** The entries used last. By its own limit of entries, the library would allocate the memory of all of them at once. */
export function createNewest<Value extends object | string | number | true>(most: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });
}
