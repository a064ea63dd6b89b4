import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

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

/** The tree with another value at a path of names and positions, which exists or is added. */
const withAt = (value: Value, [step, ...rest]: readonly (string | number)[], to: Value): Value => {
  if (step === undefined) return to;
  if (typeof step === 'number')
    return asList(value, 'a list').map((one, index) => (index === step ? withAt(one, rest, to) : one));
  const tree = asTree(value, step);
  return { ...tree, [step]: withAt(tree[step] ?? {}, rest, to) };
};

type Change = readonly [path: readonly (string | number)[], to: Value];

/** The object with other values at these paths. */
export const changed = (resource: Resource, changes: readonly Change[]): Resource =>
  changes.reduce<Value>((tree, [path, to]) => withAt(tree, path, to), resource) as Resource;

/** The change that adds an entry to a list. */
export const added = (resource: Resource, path: Change[0], one: Value): Change => [
  path,
  [...asList(at(resource, ...path), 'a list'), one],
];

/** Kind and name, which identify an object within a namespace. */
export const nameOf = ({ kind, metadata }: Resource): string => `${kind}/${metadata.name}`;

/** The path of a kind's pod template; undefined for a kind without pods. */
export const templatePath = (kind: string): readonly string[] | undefined => {
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template'];
  return kind === 'Deployment' || kind === 'Job' ? ['spec', 'template'] : undefined;
};

/** The commands that render, and those that print the version. */
const candidates = [
  { build: ['kustomize', 'build'], version: ['version'] },
  { build: ['kubectl', 'kustomize'], version: ['version', '--client'] },
] as const;

type Command = (typeof candidates)[number]['build'];

let found: { readonly command: Command | undefined } | undefined;

/** The first installed command with a kustomize of version 5; undefined without one. */
export const kustomizeCommand = (): Command | undefined => {
  found ??= {
    command: candidates.find(({ build: [program], version }) =>
      /\bv5\.\d/.test(spawnSync(program, version, { encoding: 'utf8', timeout: 60_000 }).stdout ?? ''),
    )?.build,
  };
  return found.command;
};

/** The hashes at the end of the names of generated ConfigMaps and of references to them. */
const hashes = /\b([a-z]+-settings)-[a-z0-9]{10}\b/g;

/** Whether Helm 3 or newer is installed. */
export const helmIsThere = (): boolean =>
  /^v[3-9]\./.test(spawnSync('helm', ['version', '--short'], { encoding: 'utf8', timeout: 60_000 }).stdout ?? '');

/** The documents of a text, parsed as Kubernetes does (YAML 1.1: a number may be octal). @throws {Error} on a fault */
export const documentsIn = (text: string): Resource[] =>
  parseAllDocuments(text, { version: '1.1', uniqueKeys: true, merge: false }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    return document.toJS() as Resource;
  });

const results = new Map<string, Resource[]>();

/**
 * What `kustomize build` prints for a folder, without the hashes in the names of generated ConfigMaps.
 * @throws {Error} when it fails, or is not installed
 */
export const rendered = (folder: string): Resource[] => {
  const known = results.get(folder);
  if (known) return known;
  const command = kustomizeCommand();
  if (!command) throw new Error('install kustomize 5 or a kubectl that contains it: neither is on the PATH');
  const [program, verb] = command;
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 10_000_000 });
  if (status !== 0) throw new Error(`${program} ${verb} ${folder}: ${stderr}`);
  const resources = documentsIn(stdout.replaceAll(hashes, '$1'));
  results.set(folder, resources);
  return resources;
};
