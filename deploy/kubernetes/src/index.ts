// Rendering of the kustomizations, for their tests.

export { writeChart } from './chart.ts';
export { documentsIn, helmIsThere, kustomizeCommand, rendered } from './kustomize.ts';
export {
  asList,
  asTree,
  at,
  isTree,
  nameOf,
  type Resource,
  type Tree,
  templatePath,
  textAt,
  type Value,
} from './tree.ts';
