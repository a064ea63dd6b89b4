import type { Bus, Message } from '@boxoffice/messaging';

/** Members of facts that were read, by queue and type. */
export interface Reads {
  /** The message with data that records its reads. */
  watched(queue: string, message: Message): Message;
  /**
   * The members read of each fact of the queue, as paths (`tickets[].place.label`); of nested ones only the deepest.
   */
  of(queue: string): Readonly<Record<string, readonly string[]>>;
}

const watch = (value: unknown, path: string, record: (path: string) => void): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || typeof found === 'function') return found;
      if (Array.isArray(target)) return name === 'length' ? found : watch(found, `${path}[]`, record);
      if (!Object.hasOwn(target, name)) return found;
      const deeper = path === '' ? name : `${path}.${name}`;
      record(deeper);
      return watch(found, deeper, record);
    },
  });
};

const isWithin = (outer: string, inner: string): boolean =>
  inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);

/** Creates an empty record. */
export const createReads = (): Reads => {
  const reads = new Map<string, Map<string, Set<string>>>();
  const pathsOf = (queue: string, type: string): Set<string> => {
    const types = reads.get(queue) ?? new Map<string, Set<string>>();
    reads.set(queue, types);
    const paths = types.get(type) ?? new Set<string>();
    types.set(type, paths);
    return paths;
  };
  return {
    watched(queue, message) {
      const paths = pathsOf(queue, message.type);
      return { ...message, data: watch(message.data, '', (path) => paths.add(path)) as object };
    },
    of: (queue) =>
      Object.fromEntries(
        [...(reads.get(queue) ?? [])]
          .map(([type, paths]) => {
            const all = [...paths].toSorted();
            return [type, all.filter((path) => !all.some((other) => isWithin(path, other)))] as const;
          })
          .toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
  };
};

/** The bus, recording the members that its consumers read. */
export const watchedBus = (bus: Bus, reads: Reads): Bus => ({
  ...bus,
  publish: (message) => bus.publish(message),
  ping: () => bus.ping(),
  listen: (broadcast, hear) => bus.listen(broadcast, hear),
  subscribe: (queue, handle) =>
    bus.subscribe(queue, (message, attempt) => handle(reads.watched(queue.name, message), attempt)),
});
