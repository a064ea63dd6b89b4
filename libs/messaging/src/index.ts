export { maxAttempts } from './attempts.ts';
export { createInProcessBus, type InProcessOptions } from './in-process.ts';
export * from './port.ts';
export {
  connectRabbitmq,
  declareRabbitmqTopology,
  type RabbitmqOptions,
} from './rabbitmq/bus.ts';
export { decode as decodeMessage, encode as encodeMessage } from './rabbitmq/codec.ts';
export { createPlan, nameExchange } from './rabbitmq/names.ts';
export { listRights, type Rights } from './rabbitmq/rights.ts';
export { type Backlog, type Relay, type RelayOptions, startRelay } from './relay.ts';
export { collectDeclarations, type Declared, declared, listFacts, requireQueue } from './topology.ts';
