export { maxAttempts } from './attempts.ts';
export { createInProcessBus, type InProcessOptions } from './in-process.ts';
export * from './port.ts';
export { connectRabbitmq, connectRabbitmqPublisher, type Publisher, type RabbitmqOptions } from './rabbitmq.ts';
export { type Backlog, type Relay, type RelayOptions, startRelay } from './relay.ts';
export { broadcasts, type Declared, declared, topology } from './topology.ts';
