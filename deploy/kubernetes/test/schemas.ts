import { isTree, type Resource, type Tree, type Value } from '../src/index.ts';

/** The members read so far, by mapping. */
type Looked = Map<Tree, Set<string>>;

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
const watched = (tree: Tree, looked: Looked): object => new Proxy(tree, handler(looked));

/** The paths of unread members, without the paths below them. */
const neverLooked = (value: Value, looked: Looked, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => neverLooked(one, looked, `${path}/${index}`));
  if (!isTree(value)) return [];
  const names = looked.get(value);
  return Object.entries(value).flatMap(([name, member]) =>
    names?.has(name) ? neverLooked(member, looked, `${path}/${name}`) : [`${path}/${name}`],
  );
};

/** The packages of models of groups outside Kubernetes itself, compiled from the groups' own schemas. */
const packages: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

interface Model {
  readonly prototype: { validate(this: object): void };
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

/**
 * The faults of a resource against the schema of its kind, with paths; empty if it is valid. Strict as kubectl: an
 * unknown field is a fault. The compiled schemas ignore unknown fields and never read them, which reveals them.
 */
export const faultsOf = async (resource: Resource): Promise<string[]> => {
  const model = await modelOf(resource);
  if (!model) return [`there is no schema of ${resource.apiVersion} ${resource.kind}`];
  const looked: Looked = new Map();
  const complaints = complaintOf(model, watched(resource, looked));
  return [...complaints, ...neverLooked(resource, looked).map((path) => `${path}: no such field`)];
};
