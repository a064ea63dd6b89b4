import { join } from 'node:path';
import { merge, replaced } from './merge.ts';
import { documentsIn, documentsOf } from './read.ts';
import {
  asList,
  asTree,
  at,
  nameOf,
  nested,
  type Resource,
  type Tree,
  templatePath,
  textAt,
  type Value,
} from './tree.ts';

/** The cluster-scoped kinds in use. */
const everywhere = new Set(['Namespace']);

const matches = (pattern: Value | undefined, text: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${String(pattern)})$`).test(text);

const isMeant = ({ kind, name, ...rest }: Tree, resource: Resource): boolean => {
  if (Object.keys(rest).length > 0) throw new Error(`a target's ${Object.keys(rest)} is not understood here`);
  return matches(kind, resource.kind) && matches(name, resource.metadata.name);
};

/** The resource after a patch; empty if the patch deletes it. Name and kind stay. */
const patched = (resource: Resource, patch: Value): Resource[] => {
  if (Array.isArray(patch))
    return [patch.reduce((value: Value, step) => replaced(value, step as Tree), resource)] as Resource[];
  const { $patch, ...change } = asTree(patch, 'a patch');
  if ($patch === 'delete') return [];
  if ($patch !== undefined) throw new Error(`$patch: ${$patch} is not understood here`);
  const { apiVersion, kind, metadata } = resource;
  const result = merge(resource, change) as Resource;
  return [{ ...result, apiVersion, kind, metadata: { ...result.metadata, name: metadata.name } }];
};

/**
 * Applies patches, each to the resources of its target or to the resource that it names.
 * @throws {Error} without a match
 */
export const withPatches = (resources: readonly Resource[], patches: readonly Tree[], folder: string): Resource[] => {
  let all = [...resources];
  for (const { path, patch, target, ...rest } of patches) {
    if (Object.keys(rest).length > 0) throw new Error(`a patch's ${Object.keys(rest)} is not understood here`);
    const documents = path === undefined ? documentsIn(String(patch)) : documentsOf(join(folder, String(path)));
    for (const document of documents) {
      const meant = (resource: Resource): boolean =>
        target === undefined
          ? nameOf(document as Resource) === nameOf(resource)
          : isMeant(asTree(target, 'target'), resource);
      if (!all.some(meant)) throw new Error(`${folder}: a patch changes nothing that is there`);
      all = all.flatMap((resource) => (meant(resource) ? patched(resource, document) : [resource]));
    }
  }
  return all;
};

/** Sets the namespace of every namespaced resource. */
export const withNamespace = (resources: readonly Resource[], namespace: string): Resource[] =>
  resources.map((resource) =>
    everywhere.has(resource.kind)
      ? { ...resource, metadata: { ...resource.metadata, name: namespace } }
      : { ...resource, metadata: { ...resource.metadata, namespace } },
  );

/** Adds labels to every resource and, where configured, to pod templates. */
export const withLabels = (resources: readonly Resource[], labels: readonly Tree[]): Resource[] =>
  labels.reduce(
    (all: Resource[], { pairs = {}, includeTemplates = false, ...rest }) => {
      if (Object.keys(rest).length > 0) throw new Error(`a label's ${Object.keys(rest)} is not understood here`);
      const labelled = { metadata: { labels: pairs } };
      return all.map((resource) => {
        const template = includeTemplates ? templatePath(resource.kind) : undefined;
        const own = merge(resource, labelled) as Resource;
        return template ? (merge(own, nested(template, labelled)) as Resource) : own;
      });
    },
    [...resources],
  );

const imageOf = (image: string, changes: readonly Tree[]): string => {
  const [, name = '', tag = ''] = /^(.*?)(:[^:/]+)?$/.exec(image) ?? [];
  const change = changes.find((one) => textAt(one, 'name') === name);
  if (!change) return image;
  const { newName = name, newTag, name: _, ...rest } = change;
  if (Object.keys(rest).length > 0) throw new Error(`an image's ${Object.keys(rest)} is not understood here`);
  return `${newName}${newTag === undefined ? tag : `:${newTag}`}`;
};

/** Sets the image names and tags of the containers in templates. */
export const withImages = (resources: readonly Resource[], changes: readonly Tree[]): Resource[] => {
  if (changes.length === 0) return [...resources];
  return resources.map((resource) => {
    const path = templatePath(resource.kind);
    if (!path) return resource;
    const containers = asList(at(resource, ...path, 'spec', 'containers'), 'containers');
    const changed = containers.map((container) => ({
      ...asTree(container, 'a container'),
      image: imageOf(textAt(asTree(container, 'a container'), 'image'), changes),
    }));
    return merge(resource, nested([...path, 'spec', 'containers'], changed)) as Resource;
  });
};
