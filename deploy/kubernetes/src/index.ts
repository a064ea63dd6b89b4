// Rendering of the kustomizations, for their tests.

export {
  asList,
  asTree,
  at,
  build,
  isTree,
  kustomizeCommand,
  nameOf,
  type Resource,
  rendered,
  type Tree,
  templatePath,
  textAt,
  type Value,
} from './kustomize.ts';
