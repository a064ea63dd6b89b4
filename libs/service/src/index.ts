export { type Courtesy, type CourtesyOptions, createCourtesy } from './courtesy.ts';
export type {
  Closable,
  CurrentFact,
  CurrentFacts,
  Listener,
  Parts,
  Reaction,
  ServiceDefinition,
} from './definition.ts';
export { type Engines, type EnginesOptions, openEngines } from './engines.ts';
export type { FactMoment } from './fact-channel.ts';
export { createPeer, type Peer, type PeerCall, type PeerOptions, PeerRefusal } from './peer.ts';
export {
  type End,
  type Retention,
  type Retentions,
  type Sweeper,
  type SweepOptions,
  startSweeper,
} from './retention.ts';
export { runService } from './run.ts';
export { type RunningService, type StartOptions, startService } from './start.ts';
