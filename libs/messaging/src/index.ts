export { maxAttempts } from './attempts.ts';
export { createInProcessBus, type InProcessOptions } from './in-process.ts';
export * from './port.ts';
export {
  connectRabbitmq,
  declareRabbitmqTopology,
  type RabbitmqOptions,
} from './rabbitmq/bus.ts';
export { decode as decodeMessage, encode as encodeMessage } from './rabbitmq/codec.ts';
export { exchangeOf, planOf } from './rabbitmq/names.ts';
export { type Rights, rightsOf } from './rabbitmq/rights.ts';
export { type Backlog, type Relay, type RelayOptions, startRelay } from './relay.ts';
export { broadcasts, type Declared, declared, declaredOf, queueNamed } from './topology.ts';
