export {
  build,
  findKustomizeCommand,
  formatResourceName,
  type Json,
  type Resource,
  renderFolder,
} from './kustomize.ts';
