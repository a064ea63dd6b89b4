import { fileURLToPath } from 'node:url';
import type { Json, Resource } from '../src/index.ts';

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
  readonly container: Json;
  readonly env: Readonly<Record<string, string>>;
  /** Files from Secrets and from wholly mounted sources, by path in the container. */
  readonly files: ReadonlyMap<string, Mounted>;
}

/** The pod template; undefined for a kind without pods. */
export function findPodTemplate({ kind, spec }: Resource): Json | undefined {
  if (kind === 'CronJob') return spec.jobTemplate.spec.template;
  return kind === 'Deployment' || kind === 'Job' ? spec.template : undefined;
}

/**
 * The surroundings of the pods of a Deployment, a Job or a CronJob.
 * @throws {Error} if a referenced resource is missing
 */
export function findSurroundings(resource: Resource, resources: readonly Resource[]): Surroundings {
  const pod = findPodTemplate(resource).spec;
  const [container] = pod.containers;
  requireResource(resources, 'ServiceAccount', pod.serviceAccountName);
  return {
    name: resource.metadata.name,
    container,
    env: collectEnvironment(container, resources),
    files: collectFiles(pod, container),
  };
}

const requireResource = (resources: readonly Resource[], kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`${kind}/${name} is referred to, but is not there`);
  return found;
};

const collectEnvironment = ({ envFrom = [], env = [] }: Json, resources: readonly Resource[]) => {
  const getData = (configMap: string) => requireResource(resources, 'ConfigMap', configMap).data;
  const values: Record<string, string> = {};
  for (const { configMapRef } of envFrom) Object.assign(values, getData(configMapRef.name));
  for (const { name, value, valueFrom } of env) {
    const reference = valueFrom?.configMapKeyRef;
    const given = reference ? getData(reference.name)[reference.key] : value;
    if (given === undefined) throw new Error(`${name} refers to a key that is not there`);
    values[name] = given;
  }
  return values;
};

const collectFiles = ({ volumes = [] }: Json, { volumeMounts = [] }: Json): Map<string, Mounted> => {
  const files = new Map<string, Mounted>();
  for (const { name, mountPath } of volumeMounts) {
    const volume = volumes.find((one: Json) => one.name === name);
    if (volume === undefined) throw new Error(`there is no volume ${name}`);
    for (const file of listFiles(volume)) files.set(`${mountPath}/${file.key}`, file);
  }
  return files;
};

const listFiles = ({ projected, configMap }: Json): Mounted[] => {
  if (configMap) {
    const key = configMap.name === 'boxoffice-services' ? 'services.json' : 'ca.crt';
    return [{ from: `ConfigMap/${configMap.name}`, key }];
  }
  return (projected?.sources ?? []).flatMap(({ secret }: Json) =>
    (secret?.items ?? []).map(({ key, path }: Json) => {
      if (path !== key) throw new Error('a file is named otherwise than its key');
      return { from: `Secret/${secret.name}`, key };
    }),
  );
};

/** The surroundings of every Deployment. */
export function listSurroundings(resources: readonly Resource[]): Surroundings[] {
  return resources.filter(({ kind }) => kind === 'Deployment').map((resource) => findSurroundings(resource, resources));
}

/** The members read so far, by mapping. */
type Looked = Map<object, Set<string>>;

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
  const model = await loadModel(resource);
  if (!model) return [`there is no schema of ${resource.apiVersion} ${resource.kind}`];
  const looked: Looked = new Map();
  const complaints = listComplaints(model, new Proxy(resource, createHandler(looked)));
  return [...complaints, ...listUnread(resource, looked).map((path) => `${path}: no such field`)];
}

const loadModel = async ({ apiVersion, kind }: Resource): Promise<Model | undefined> => {
  const [group = ''] = apiVersion.split('/');
  try {
    const module: unknown = await import(`${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`);
    return (module as Readonly<Record<string, Model>>)[kind];
  } catch {
    return undefined;
  }
};

/** The model's complaints; empty if the resource is valid. */
const listComplaints = (model: Model, resource: object): string[] => {
  try {
    model.prototype.validate.call(resource);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

/** Records which members of mappings are read. */
const createHandler = (looked: Looked): ProxyHandler<object> => ({
  get(target, name) {
    const value: unknown = Reflect.get(target, name);
    if (!Array.isArray(target) && typeof name === 'string')
      looked.set(target, (looked.get(target) ?? new Set()).add(name));
    return typeof value === 'object' && value !== null ? new Proxy(value, createHandler(looked)) : value;
  },
});

/** The paths of unread members, without the paths below them. */
const listUnread = (value: Json, looked: Looked, path = ''): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    Array.isArray(value) || looked.get(value)?.has(name)
      ? listUnread(member, looked, `${path}/${name}`)
      : [`${path}/${name}`],
  );
};
