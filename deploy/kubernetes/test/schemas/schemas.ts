import type { Resource } from '../kustomize/tree.ts';
import { type Looked, neverLooked, watched } from './watched.ts';

/** Where the models of a group are that is not of Kubernetes itself. They are compiled from the groups' own descriptions. */
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

/** What the model says, nothing if it is content. */
const complaintOf = (model: Model, resource: object): string[] => {
  try {
    model.prototype.validate.call(resource);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

/**
 * What is wrong with a resource by the schema of its kind, with paths; nothing if it fits. Strict as kubectl: a field that the
 * schema does not know is wrong. (The compiled schemas let such a field pass, and never look at it: so it is found.)
 */
export const faultsOf = async (resource: Resource): Promise<string[]> => {
  const model = await modelOf(resource);
  if (!model) return [`there is no schema of ${resource.apiVersion} ${resource.kind}`];
  const looked: Looked = new Map();
  const complaints = complaintOf(model, watched(resource, looked));
  return [...complaints, ...neverLooked(resource, looked).map((path) => `${path}: no such field`)];
};
