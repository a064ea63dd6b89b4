import type { Feed, Selection, Stretch } from './read.ts';

const keyOf = (institution: string, after: number, { types, resource, bounds }: Selection, limit: number): string =>
  JSON.stringify([institution, after, types ?? null, resource ?? null, bounds ?? null, limit]);

/**
 * A feed whose equal reads are one: an event wakes all followers in one turn of the event loop, and those that have
 * read equally far want the same. A read begins after the turn in which it was first wanted, so nobody gets what was
 * read before they asked. What is read is shared, and not to be changed.
 */
export const shareReads = (feed: Feed): Feed => {
  const wanted = new Map<string, Promise<Stretch>>();
  return {
    ...feed,
    read(institution, after, selection, limit) {
      const key = keyOf(institution, after, selection, limit);
      const known = wanted.get(key);
      if (known) return known;
      const stretch = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        wanted.delete(key);
        return feed.read(institution, after, selection, limit);
      });
      wanted.set(key, stretch);
      return stretch;
    },
  };
};
