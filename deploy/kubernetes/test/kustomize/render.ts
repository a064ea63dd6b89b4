import { join } from 'node:path';
import { configMaps } from './config-maps.ts';
import { documentOf, documentsOf } from './read.ts';
import { withImages, withLabels, withNamespace, withPatches } from './transform.ts';
import { asList, nameOf, type Resource, type Tree, textAt, type Value } from './tree.ts';

// The subset of kustomize that the project's files use, so that the applied result is also tested on a machine without
// it. Unknown features are refused. Where kustomize is installed, a test compares the two renderings.

const understood = new Set([
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'components',
  'labels',
  'configMapGenerator',
  'patches',
  'images',
]);

const asResource = (document: Value, from: string): Resource => {
  const { apiVersion, kind, metadata } = document as Partial<Resource>;
  if (typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string')
    return document as Resource;
  throw new Error(`${from} holds something without apiVersion, kind or name`);
};

const isFile = (path: string): boolean => path.endsWith('.yaml');

const resourcesAt = (path: string): Resource[] =>
  isFile(path) ? documentsOf(path).map((document) => asResource(document, path)) : rendered(path);

const texts = (list: Value | undefined, what: string): string[] => asList(list, what).map(String);

const withoutTwins = (resources: readonly Resource[]): void => {
  const names = resources.map(nameOf);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new Error(`${twin} is there twice`);
};

/** Applies a kustomization, or a component, to existing resources. */
const kustomized = (folder: string, before: readonly Resource[]): Resource[] => {
  const kustomization: Tree = documentOf(join(folder, 'kustomization.yaml'));
  const strange = Object.keys(kustomization).filter((name) => !understood.has(name));
  if (strange.length > 0) throw new Error(`${folder}: ${strange.join(', ')} is not understood here`);
  const { resources, components, configMapGenerator, patches, namespace, labels, images } = kustomization;
  if (!['Kustomization', 'Component'].includes(textAt(kustomization, 'kind'))) throw new Error(`${folder}: wrong kind`);

  let all = [...before, ...texts(resources, 'resources').flatMap((name) => resourcesAt(join(folder, name)))];
  withoutTwins(all);
  for (const name of texts(components, 'components')) all = kustomized(join(folder, name), all);
  all = configMaps(all, asList(configMapGenerator, 'configMapGenerator') as readonly Tree[]);
  all = withPatches(all, asList(patches, 'patches') as readonly Tree[], folder);
  if (typeof namespace === 'string') all = withNamespace(all, namespace);
  all = withLabels(all, asList(labels, 'labels') as readonly Tree[]);
  return withImages(all, asList(images, 'images') as readonly Tree[]);
};

/**
 * The result of `kustomize build` for a folder, without the hashes appended to the names of generated ConfigMaps.
 * @throws {Error} on a feature outside the supported subset
 */
export const rendered = (folder: string): Resource[] => kustomized(folder, []);
