// Rendering of the kustomizations, for their tests.

export {
  build,
  findKustomizeCommand,
  findTemplatePath,
  formatResourceName,
  getMember,
  isTree,
  type Resource,
  renderFolder,
  requireList,
  requireText,
  requireTree,
  type Tree,
  type Value,
} from './kustomize.ts';
