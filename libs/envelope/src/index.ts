export { failureOf, subjectsOf } from './contact-exception.ts';
export { type Failure, Fault, type FaultHeaders, failure, type Success, success } from './envelope.ts';
export { type PosCode, PosFault, posFailure, posRegistry, posSuccess, unforeseen } from './family-b.ts';
export { type Code, registry } from './registry.ts';
