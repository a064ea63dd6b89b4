/** A value of YAML. */
export type Value = string | number | boolean | null | readonly Value[] | Tree;

export interface Tree {
  readonly [name: string]: Value;
}

/** One object of Kubernetes, whatever its kind. */
export interface Resource extends Tree {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Tree & { readonly name: string };
}

export const isTree = (value: Value | undefined): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws when it is none */
export const asTree = (value: Value | undefined, what: string): Tree => {
  if (isTree(value)) return value;
  throw new Error(`${what} is no mapping`);
};

/** An absent list is empty. @throws when it is something else */
export const asList = (value: Value | undefined, what: string): readonly Value[] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is no list`);
};

/** @throws when a text of that name is missing */
export const textAt = (tree: Tree, name: string): string => {
  const value = tree[name];
  if (typeof value === 'string') return value;
  throw new Error(`${name} is missing, or is no text`);
};

/** The member at a path of names and positions, undefined where there is none. */
export const at = (value: Value | undefined, ...path: readonly (string | number)[]): Value | undefined => {
  let found = value;
  for (const step of path) {
    if (typeof step === 'number') found = Array.isArray(found) ? found[step] : undefined;
    else found = isTree(found) ? found[step] : undefined;
  }
  return found;
};

/** Kind and name, by which the objects of one namespace differ. */
export const nameOf = ({ kind, metadata }: Resource): string => `${kind}/${metadata.name}`;

/** Where the template of the pods of a kind is; undefined for a kind without pods. */
export const templatePath = (kind: string): readonly string[] | undefined => {
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template'];
  return kind === 'Deployment' || kind === 'Job' ? ['spec', 'template'] : undefined;
};

/** A tree that is the value at a path and nothing else. */
export const nested = (path: readonly string[], value: Value): Value =>
  path.reduceRight<Value>((inner, step) => ({ [step]: inner }), value);
