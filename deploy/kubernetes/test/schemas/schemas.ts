import type { Resource } from '../../src/index.ts';
import { type Looked, neverLooked, watched } from './watched.ts';

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
