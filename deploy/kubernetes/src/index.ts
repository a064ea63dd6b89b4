// Rendering of the kustomizations, for their tests.

export { writeChart } from './chart.ts';
export {
  asList,
  asTree,
  at,
  documentsIn,
  helmIsThere,
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
