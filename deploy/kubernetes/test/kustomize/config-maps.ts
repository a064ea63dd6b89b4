import { asList, asTree, type Resource, type Tree, textAt, type Value } from './tree.ts';

const dataOf = (literals: Value | undefined): Record<string, string> =>
  Object.fromEntries(
    asList(literals, 'literals').map((literal) => {
      const [name = '', ...value] = String(literal).split('=');
      return [name, value.join('=')];
    }),
  );

/** Adds ConfigMaps generated from literals, or merges the literals into existing ones. */
export const configMaps = (resources: readonly Resource[], generators: readonly Tree[]): Resource[] => {
  const all = [...resources];
  for (const generator of generators) {
    const { literals, behavior = 'create', name: _, ...rest } = generator;
    if (Object.keys(rest).length > 0) throw new Error(`a generator's ${Object.keys(rest)} is not understood here`);
    const name = textAt(generator, 'name');
    const found = all.findIndex(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
    const before = all[found];
    if ((behavior === 'merge') !== (before !== undefined)) throw new Error(`ConfigMap/${name}: cannot ${behavior}`);
    const data = { ...(before ? asTree(before.data, 'data') : {}), ...dataOf(literals) };
    if (before) all[found] = { ...before, data };
    else all.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  }
  return all;
};
