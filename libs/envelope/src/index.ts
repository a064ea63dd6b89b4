export { failureOf, subjectsOf } from './contact-exception.ts';
export { type Failure, failure, type Success, success } from './envelope.ts';
export {
  type Consequences,
  type PosFailure,
  PosFault,
  type PosSuccess,
  posFailure,
  posSuccess,
  unforeseen,
} from './family-b.ts';
export { Fault, type FaultHeaders } from './fault.ts';
export { type PosCode, type PosRow, posRegistry } from './pos-registry.ts';
export { type Code, type RegistryRow, registry } from './registry.ts';
