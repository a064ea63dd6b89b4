// The shared fixtures of all services' tests: empty stores of each engine, the service's operations over HTTP,
// a fake authorizer and fakes of the services that it calls.

export { notExercised, type OpenEngine, type TestEngine, testEngines } from './engines.ts';
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
export { type HistoriesOptions, historiesOf, useFixture } from './fixtures.ts';
export { type ReleasedDescription, releasedDescription, uncalledOf } from './released.ts';
export { createShapeCheck, type Served, type ServedReply, sendEightAtOnce, serveOperations } from './serve.ts';
