import { isTree, type Tree, type Value } from '../../src/index.ts';

/** The members read so far, by mapping. */
export type Looked = Map<Tree, Set<string>>;

const handler = (looked: Looked): ProxyHandler<object> => ({
  get(target, name) {
    const value: unknown = Reflect.get(target, name);
    if (!Array.isArray(target) && typeof name === 'string') {
      const names = looked.get(target as Tree) ?? new Set();
      looked.set(target as Tree, names.add(name));
    }
    return typeof value === 'object' && value !== null ? new Proxy(value, handler(looked)) : value;
  },
});

/** A proxy of the tree that records which members are read. */
export const watched = (tree: Tree, looked: Looked): object => new Proxy(tree, handler(looked));

/** The paths of unread members, without the paths below them. */
export const neverLooked = (value: Value, looked: Looked, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => neverLooked(one, looked, `${path}/${index}`));
  if (!isTree(value)) return [];
  const names = looked.get(value);
  return Object.entries(value).flatMap(([name, member]) =>
    names?.has(name) ? neverLooked(member, looked, `${path}/${name}`) : [`${path}/${name}`],
  );
};
