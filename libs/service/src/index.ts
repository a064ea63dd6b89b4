export { type Courtesy, type CourtesyOptions, createCourtesy } from './client/best-effort.ts';
export { createPeer, type Peer, type PeerCall, type PeerOptions, PeerRefusal } from './client/peer.ts';
export type {
  Closable,
  CurrentFact,
  CurrentFacts,
  Listener,
  Parts,
  Reaction,
  ServiceDefinition,
} from './definition.ts';
export { type Engines, type EnginesOptions, openEngines } from './engines/engines.ts';
export type { FactMoment } from './facts/channel.ts';
export {
  type End,
  type Retention,
  type Retentions,
  type Sweeper,
  type SweepOptions,
  startSweeper,
} from './retention.ts';
export { runService } from './start/run.ts';
export { type RunningService, type StartOptions, startService } from './start/start.ts';
