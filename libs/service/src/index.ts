export type { Closable, Listener, Parts, Reaction, ServiceDefinition } from './definition.ts';
