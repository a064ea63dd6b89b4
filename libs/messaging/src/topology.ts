import { builtInRows, listBroadcasts, listQueues, type ServiceRow } from '@boxoffice/runtime/services';
import type { Broadcast, Queue } from './port.ts';

/** The facts broadcast to every process of a kind; processes that are down miss them. */
export const broadcasts = {
  access: { types: builtInRows.flatMap(listBroadcasts) },
} as const satisfies Record<string, Broadcast>;

/** The number of messages that a queue holds before it refuses more: about 1 GB of disk. */
export const maxQueueLength = 1_000_000;

export interface Declared {
  readonly queues: readonly Queue[];
  /** Those that no queue takes, or need not take. */
  readonly broadcasts: readonly Broadcast[];
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
  return { queues, broadcasts: untaken.length === 0 ? [] : [{ types: untaken }] };
}

/** The facts of the product's own services: the engines' default. */
export const declared: Declared = collectDeclarations(builtInRows);

/** A queue of the product's own services. @throws {Error} for one that there is not */
export function requireQueue(name: string): Queue {
  const queue = declared.queues.find((one) => one.name === name);
  if (queue === undefined) throw new Error(`no row of libs/runtime/services.json has the queue ${name}`);
  return queue;
}

export function isBroadcast(type: string, { broadcasts: all }: Declared): boolean {
  return all.some(({ types }) => types.includes(type));
}
