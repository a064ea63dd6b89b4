export { listTestEngines, notExercised, type OpenEngine, type TestEngine } from './engines.ts';
export {
  type Authority,
  type Call,
  type Fake,
  type FakeRequest,
  type Handlers,
  type Mishap,
  openAuthority,
  openFake,
} from './fakes.ts';
export { type HistoriesOptions, selectHistories, useFixture } from './fixtures.ts';
export { openPostbox, type Posted } from './receive.ts';
export { findUncalledOperations, type ReleasedDescription, readReleasedDescription } from './released.ts';
export { createShapeCheck, type Served, type ServedReply, sendEightAtOnce, serveOperations } from './serve.ts';
