/** A YAML value. */
export type Value = string | number | boolean | null | readonly Value[] | Tree;

export interface Tree {
  readonly [name: string]: Value;
}

/** A Kubernetes object of any kind. */
export interface Resource extends Tree {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Tree & { readonly name: string };
}

export const isTree = (value: Value | undefined): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws {Error} when the value is not a mapping */
export const asTree = (value: Value | undefined, what: string): Tree => {
  if (isTree(value)) return value;
  throw new Error(`${what} is no mapping`);
};

/** Returns an empty list for an absent one. @throws {Error} for any other value */
export const asList = (value: Value | undefined, what: string): readonly Value[] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is no list`);
};

/** @throws {Error} when no text has that name */
export const textAt = (tree: Tree, name: string): string => {
  const value = tree[name];
  if (typeof value === 'string') return value;
  throw new Error(`${name} is missing, or is no text`);
};

/** The member at a path of names and positions; undefined if absent. */
export const at = (value: Value | undefined, ...path: readonly (string | number)[]): Value | undefined => {
  let found = value;
  for (const step of path) {
    if (typeof step === 'number') found = Array.isArray(found) ? found[step] : undefined;
    else found = isTree(found) ? found[step] : undefined;
  }
  return found;
};

/** Kind and name, which identify an object within a namespace. */
export const nameOf = ({ kind, metadata }: Resource): string => `${kind}/${metadata.name}`;

/** The path of a kind's pod template; undefined for a kind without pods. */
export const templatePath = (kind: string): readonly string[] | undefined => {
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template'];
  return kind === 'Deployment' || kind === 'Job' ? ['spec', 'template'] : undefined;
};
