export { type Break, buildSnapshot, type Events, findBreaks, type Snapshot } from './breaks.ts';
export { type Process, type Published, placeholder, processes } from './processes.ts';
export { compareSchemas, type Direction } from './schemas.ts';
export {
  findBrokenUses,
  findMissingNeeds,
  findMissingUses,
  findOwnRelease,
  formatRelease,
  type Obstacle,
  type Release,
} from './verdict.ts';
