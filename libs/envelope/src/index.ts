export { type Failure, failure, type Success, success } from './envelope.ts';
export { failureOf, subjectsOf } from './failure-of.ts';
export { type PosFailure, posFailure } from './family-b.ts';
export { Fault, type FaultHeaders } from './fault.ts';
export { type Code, type RegistryRow, registry } from './registry.ts';
