import { fileURLToPath } from 'node:url';
import {
  findTemplatePath,
  getMember,
  isTree,
  type Resource,
  requireList,
  requireText,
  requireTree,
  type Tree,
  type Value,
} from '../src/index.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const repository = here('../../../');
export const base = here('../base');
export const example = here('../overlays/example');
export const firstInstitution = here('../overlays/example-first-institution');
export const topology = here('../overlays/example-topology');
/** The base with every component. */
export const everything = here('./everything');

/** Every folder that can be applied by itself, and the base with every component. */
export const applicable = [base, example, topology, firstInstitution, everything];

/** A file in a container, from the key of a Secret or of a ConfigMap. */
interface Mounted {
  /** `Secret/boxoffice-orders`. */
  readonly from: string;
  readonly key: string;
}

/** The environment and files of a pod's container, with references to other resources resolved. */
export interface Surroundings {
  readonly name: string;
  readonly container: Tree;
  readonly env: Readonly<Record<string, string>>;
  /** Files from Secrets and from wholly mounted sources, by path in the container. */
  readonly files: ReadonlyMap<string, Mounted>;
}

/**
 * The surroundings of the pods of a Deployment, a Job or a CronJob.
 * @throws {Error} if a referenced resource is missing
 */
export function findSurroundings(resource: Resource, resources: readonly Resource[]): Surroundings {
  const pod = requireTree(getMember(resource, ...(findTemplatePath(resource.kind) ?? []), 'spec'), 'the template');
  const container = requireTree(getMember(pod, 'containers', 0), 'the container');
  named(resources, 'ServiceAccount', requireText(pod, 'serviceAccountName'));
  return {
    name: resource.metadata.name,
    container,
    env: envOf(container, resources),
    files: filesOf(pod, container),
  };
}

const named = (resources: readonly Resource[], kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`${kind}/${name} is referred to, but is not there`);
  return found;
};

const envOf = (container: Tree, resources: readonly Resource[]): Record<string, string> => {
  const env: Record<string, string> = {};
  for (const source of requireList(container.envFrom, 'envFrom'))
    Object.assign(env, dataOf(resources, String(getMember(source, 'configMapRef', 'name'))));
  for (const one of requireList(container.env, 'env')) {
    const entry = requireTree(one, 'a variable');
    const reference = getMember(entry, 'valueFrom', 'configMapKeyRef');
    const value =
      reference === undefined
        ? requireText(entry, 'value')
        : dataOf(resources, requireText(requireTree(reference, 'a reference'), 'name'))[
            String(getMember(reference, 'key'))
          ];
    if (value === undefined) throw new Error(`${requireText(entry, 'name')} refers to a key that is not there`);
    env[requireText(entry, 'name')] = value;
  }
  return env;
};

const dataOf = (resources: readonly Resource[], configMap: string): Readonly<Record<string, string>> =>
  requireTree(named(resources, 'ConfigMap', configMap).data, configMap) as Readonly<Record<string, string>>;

const filesOf = (pod: Tree, container: Tree): Map<string, Mounted> => {
  const files = new Map<string, Mounted>();
  for (const mount of requireList(container.volumeMounts, 'volumeMounts')) {
    const volume = requireList(pod.volumes, 'volumes').find(
      (one) => getMember(one, 'name') === getMember(mount, 'name'),
    );
    if (volume === undefined) throw new Error(`there is no volume ${getMember(mount, 'name')}`);
    for (const file of filesIn(volume)) files.set(`${getMember(mount, 'mountPath')}/${file.key}`, file);
  }
  return files;
};

const filesIn = (volume: Value | undefined): Mounted[] => {
  const projected = requireList(getMember(volume, 'projected', 'sources'), 'sources').flatMap((source) =>
    requireList(getMember(source, 'secret', 'items'), 'items').map((item) => {
      if (getMember(item, 'path') !== getMember(item, 'key')) throw new Error('a file is named otherwise than its key');
      return { from: `Secret/${getMember(source, 'secret', 'name')}`, key: String(getMember(item, 'key')) };
    }),
  );
  const configMap = getMember(volume, 'configMap', 'name');
  const key = configMap === 'boxoffice-services' ? 'services.json' : 'ca.crt';
  return configMap === undefined ? projected : [{ from: `ConfigMap/${configMap}`, key }];
};

/** The surroundings of every Deployment. */
export function listSurroundings(resources: readonly Resource[]): Surroundings[] {
  return resources.filter(({ kind }) => kind === 'Deployment').map((resource) => findSurroundings(resource, resources));
}

/** The members read so far, by mapping. */
type Looked = Map<Tree, Set<string>>;

/** The packages of models of groups outside Kubernetes itself, compiled from the groups' own schemas. */
const packages: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

interface Model {
  readonly prototype: { validate(this: object): void };
}

/**
 * The faults of a resource against the schema of its kind, with paths; empty if it is valid. Strict as kubectl: an
 * unknown field is a fault. The compiled schemas ignore unknown fields and never read them, which reveals them.
 */
export async function findFaults(resource: Resource): Promise<string[]> {
  const model = await modelOf(resource);
  if (!model) return [`there is no schema of ${resource.apiVersion} ${resource.kind}`];
  const looked: Looked = new Map();
  const complaints = complaintOf(model, watched(resource, looked));
  return [...complaints, ...neverLooked(resource, looked).map((path) => `${path}: no such field`)];
}

const modelOf = async ({ apiVersion, kind }: Resource): Promise<Model | undefined> => {
  const [group = ''] = apiVersion.split('/');
  try {
    const module: unknown = await import(`${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`);
    return (module as Readonly<Record<string, Model>>)[kind];
  } catch {
    return undefined;
  }
};

/** The model's complaints; empty if the resource is valid. */
const complaintOf = (model: Model, resource: object): string[] => {
  try {
    model.prototype.validate.call(resource);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

/** A proxy of the tree that records which members are read. */
const watched = (tree: Tree, looked: Looked): object => new Proxy(tree, handler(looked));

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

/** The paths of unread members, without the paths below them. */
const neverLooked = (value: Value, looked: Looked, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => neverLooked(one, looked, `${path}/${index}`));
  if (!isTree(value)) return [];
  const names = looked.get(value);
  return Object.entries(value).flatMap(([name, member]) =>
    names?.has(name) ? neverLooked(member, looked, `${path}/${name}`) : [`${path}/${name}`],
  );
};
