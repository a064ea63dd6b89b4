// What the processes of an installation promise one another, and the comparison of two states of it.

export { type Break, breaksOf, type Events, type Snapshot, snapshotOf } from './breaks.ts';
export { type Process, type Published, placeholder, processes } from './processes.ts';
export { compareSchemas, type Direction } from './schemas.ts';
export { brokenBy, lackingFor, missedBy, type Obstacle, ownRelease, type Release, titleOf } from './verdict.ts';
