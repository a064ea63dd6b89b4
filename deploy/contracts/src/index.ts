// What the processes of an installation promise one another, and the comparison of two states of it.

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
