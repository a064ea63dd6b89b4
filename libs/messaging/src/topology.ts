import { builtInRows, listBroadcasts, listQueues, type ServiceRow } from '@boxoffice/runtime/services';
import type { Broadcast, Queue } from './port.ts';

/** The facts broadcast to every process of a kind; processes that are down miss them. */
export const broadcasts = {
  /** Gateways discard cached decisions. */
  access: { types: builtInRows.flatMap(listBroadcasts) },
} as const satisfies Record<string, Broadcast>;

/** The number of messages that a queue holds before it refuses more: about 1 GB of disk. */
export const maxQueueLength = 1_000_000;

/** The facts of the installation as an engine uses them. */
export interface Declared {
  readonly queues: readonly Queue[];
  /** Those that no queue takes, or need not take. */
  readonly broadcasts: readonly Broadcast[];
}

/** The queues of a service. */
const queuesOfRow = (row: ServiceRow): readonly Queue[] =>
  listQueues(row).map(({ queue: name, facts: types, ...flags }) => ({ name, types, ...flags }));

/**
 * The facts of these services. All of their queues are declared before any process publishes, so that no fact is
 * unroutable because its consumer has not started yet: by whichever process may, or by the operator.
 *
 * A fact enters the list of services together with its publisher, and with all of its consumers, also those whose
 * service is not deployed: their queues store the facts until the service is deployed, without a time limit. A queue
 * accepts up to `maxQueueLength` messages; then it refuses more, the fact stays in the publisher's outbox, and the
 * relay reports the age of its backlog. The arguments of an existing queue cannot change: a queue with other arguments
 * gets the next version in its name.
 */
export function collectDeclared(rows: readonly ServiceRow[]): Declared {
  const queues = rows.flatMap(queuesOfRow);
  const queued = new Set(queues.flatMap(({ types }) => types));
  const untaken = rows.flatMap(({ publishes }) => publishes.filter((fact) => !queued.has(fact)));
  return { queues, broadcasts: untaken.length === 0 ? [] : [{ types: untaken }] };
}

/** The facts of the product's own services: the engines' default. */
export const declared: Declared = collectDeclared(builtInRows);

/** A queue of the product's own services. @throws {Error} for one that there is not */
export function requireQueue(name: string): Queue {
  const queue = declared.queues.find((one) => one.name === name);
  if (queue === undefined) throw new Error(`no row of libs/runtime/services.json has the queue ${name}`);
  return queue;
}

/** Whether facts of this type are broadcast. */
export function isBroadcast(type: string, { broadcasts: all }: Declared): boolean {
  return all.some(({ types }) => types.includes(type));
}
