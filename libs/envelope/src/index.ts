export { listSubjects, toFailure } from './contact-exception.ts';
export { type Failure, Fault, type FaultHeaders, failure, type Success, success } from './envelope.ts';
export {
  buildPosSuccess,
  createUnforeseenFault,
  type PosCode,
  PosFault,
  posRegistry,
  toPosFailure,
} from './family-b.ts';
export { type Code, registry } from './registry.ts';
