// What the tests of every service stand on: empty stores of each engine, and a stand-in of the authorizer.
export { type Authority, openAuthority } from './authority.ts';
export { missing, type OpenEngine, type TestEngine, testEngines } from './engines.ts';
