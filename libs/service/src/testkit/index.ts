// The shared fixtures of all services' tests: empty stores of each engine, the service's operations over HTTP,
// a fake authorizer and fakes of the services that it calls.
export { sendEightAtOnce } from './at-once.ts';
export { type Authority, openAuthority } from './authority.ts';
export { notExercised, type OpenEngine, type TestEngine, testEngines } from './engines.ts';
export { type Call, type Fake, type FakeRequest, type Handlers, type Mishap, openFake } from './fake.ts';
export { type HistoriesOptions, historiesOf, useFixture } from './fixtures.ts';
export { type ReleasedDescription, releasedDescription, uncalledOf } from './released.ts';
export { createShapeCheck, type Served, type ServedReply, serveOperations } from './serve.ts';
