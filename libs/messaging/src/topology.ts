import { builtInRows, listQueues, type ServiceRow } from '@boxoffice/runtime/services';
import type { Queue } from './port.ts';

/** The number of messages that a queue holds before it refuses more: about 1 GB of disk. */
export const maxQueueLength = 1_000_000;

export interface Declared {
  readonly queues: readonly Queue[];
  /** The facts that no queue takes; they can be published all the same. */
  readonly untaken: readonly string[];
}

const queuesOfRow = (row: ServiceRow): readonly Queue[] =>
  listQueues(row).map(({ queue: name, facts: types, ...flags }) => ({ name, types, ...flags }));

/**
 * All queues are declared before any process publishes, so that no fact is unroutable before its consumer starts.
 * A fact enters the list with its publisher and all of its consumers, deployed or not.
 * The arguments of a queue cannot change: with others it gets the next version in its name.
 */
export function collectDeclarations(rows: readonly ServiceRow[]): Declared {
  const queues = rows.flatMap(queuesOfRow);
  const queued = new Set(queues.flatMap(({ types }) => types));
  const untaken = rows.flatMap(({ publishes }) => publishes.filter((fact) => !queued.has(fact)));
  return { queues, untaken };
}

/** The facts of the product's own services: the engines' default. */
export const declared: Declared = collectDeclarations(builtInRows);

export function listFacts({ queues, untaken }: Declared): readonly string[] {
  return [...queues.flatMap(({ types }) => types), ...untaken];
}

/** A queue of the product's own services. @throws {Error} for one that there is not */
export function requireQueue(name: string): Queue {
  const queue = declared.queues.find((one) => one.name === name);
  if (queue === undefined) throw new Error(`no row of libs/runtime/services.json has the queue ${name}`);
  return queue;
}
