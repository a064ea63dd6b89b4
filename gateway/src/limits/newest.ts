import { LRUCache } from 'lru-cache';

/** Keeps the entries used last. By its own limit, the library would allocate the memory of all entries at once. */
export function createNewest<Value extends object | string | number | true>(most: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });
}
