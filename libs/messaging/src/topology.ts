import type { Queue } from './port.ts';

/**
 * Every queue of the installation, with the facts it receives: the events table of the interface, as data. Publishers
 * declare all of them, so that no fact is unroutable because its consumer has not started yet.
 */
export const topology = {} as const satisfies Record<string, Queue>;
