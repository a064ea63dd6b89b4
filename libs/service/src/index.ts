export {
  type BestEffort,
  createBestEffort,
} from './client/best-effort.ts';
export {
  createServiceClient,
  type ServiceClient,
  ServiceRefusal,
} from './client/client.ts';
export type { AnswerOf, BodyOf, Operations, QueryOf, ServiceApi } from './client/operations.ts';
export { type Contract, contractOf } from './contract.ts';
export type {
  Calls,
  Closable,
  CurrentFact,
  CurrentFacts,
  Facts,
  Listener,
  Parts,
  Reaction,
  ServiceDefinition,
} from './definition.ts';
export { type Engines, openEngines } from './engines/engines.ts';
export {
  type Announced,
  type Announcement,
  announcedAgain,
  announcementExample,
  announcementSchema,
  announcing,
  type BelongsTo,
  type OnWritten,
} from './facts/announce.ts';
export type { FactMoment } from './facts/subscriptions.ts';
export {
  type End,
  type Retention,
  type Retentions,
  type SweepOptions,
  startSweeper,
} from './retention.ts';
export { salesBoundsOf } from './sales-bounds.ts';
export { runService } from './start/run.ts';
export { type RunningService, type StartOptions, startService } from './start/start.ts';
