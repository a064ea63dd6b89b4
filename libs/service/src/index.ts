export {
  type Announced,
  type Announcement,
  announceWrites,
  type BelongsTo,
  createAnnouncementExample,
  createAnnouncementSchema,
  type OnWritten,
  repeatAnnouncement,
} from './announce.ts';
export { type BestEffort, createBestEffort } from './best-effort.ts';
export {
  type AnswerOf,
  type BodyOf,
  createServiceClient,
  type Operations,
  type QueryOf,
  type ServiceApi,
  type ServiceClient,
  ServiceRefusal,
} from './client.ts';
export { startCompletion } from './completion.ts';
export {
  type Calls,
  type Closable,
  type Contract,
  type CurrentFact,
  type CurrentFacts,
  createContract,
  type Facts,
  type Parts,
  type Reaction,
  type ServiceDefinition,
} from './definition.ts';
export { type Engines, openEngines } from './engines.ts';
export { type End, type Retention, type Retentions, type SweepOptions, startSweeper } from './retention.ts';
export { computeSalesBounds } from './sales-bounds.ts';
export { runService } from './start/run.ts';
export { type RunningService, type StartOptions, startService } from './start/start.ts';
export type { FactMoment } from './subscriptions.ts';
export { createEndedWorkRecorder, type EndedWorkRecorder } from './work/ended.ts';
export {
  type Claim,
  completeWorkKind,
  PROMISED,
  type Retries,
  retryAfter,
  scheduleSoon,
  type Work,
  type WorkKind,
  type WorkKindOf,
  type WorkResult,
  type WorkTable,
} from './work/kinds.ts';
export { startWork, type WorkOptions, type WorkRunner } from './work/runner.ts';
