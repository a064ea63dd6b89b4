// Fixtures of service tests: empty stores of each engine, and a fake authorizer.
export { type Authority, openAuthority } from './authority.ts';
export { missing, type OpenEngine, type TestEngine, testEngines } from './engines.ts';
