import { registerHooks } from 'node:module';
import type { Mutation } from './orders.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The source after the mutation. @throws {Error} unless `from` occurs exactly once in it */
export const mutated = (source: string, { file, from, to }: Mutation): string => {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`${file} must contain the mutated text once, not ${parts.length - 1} times:\n${from}`);
};

const planted = new Set<string>();

/** The files whose mutations took effect in this thread. */
export const plantedFiles = (): string[] => [...planted];

/** Changes the sources that this thread loads from now on; a mutation that does not fit fails the import of its file. */
export const plant = (mutations: readonly Mutation[]): void => {
  if (mutations.length === 0) return;
  const byUrl = Map.groupBy(mutations, ({ file }) => new URL(file, ROOT).href);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const own = byUrl.get(url);
      if (own === undefined) return loaded;
      const source = own.reduce(mutated, Buffer.from(loaded.source as Uint8Array).toString());
      for (const { file } of own) planted.add(file);
      return { ...loaded, source };
    },
  });
};
