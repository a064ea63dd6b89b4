import type { QueueDepth } from '@boxoffice/messaging';
import { builtInRows } from '@boxoffice/runtime/services';
import { type Installation, serviceNames, usableRows } from '../installation.ts';
import { type Addresses, addressesOf, type NotAsked } from './addresses.ts';
import { type OrdersState, type OutboxState, ordersOf, outboxOf } from './backlog.ts';
import { type ProcessState, probe } from './probe.ts';

/** An unreadable part of the installation, and the reason. */
interface Unseen {
  readonly unreachable: string;
}

export const isUnseen = (part: object): part is Unseen => 'unreachable' in part;

/** An installation at one moment. */
export interface Overview {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly data: string;
  readonly engines: Installation['engines'];
  /** Why the services file cannot be used, so that only the product's own services are looked at; null: it can. */
  readonly servicesFile: string | null;
  /** The source of the processes' addresses. */
  readonly addresses: Addresses['from'];
  /** The probed processes, then a row for each of `notAsked`. */
  readonly processes: readonly ProcessState[];
  readonly notAsked: readonly NotAsked[];
  readonly queues: readonly QueueDepth[] | Unseen;
  readonly outboxes: readonly OutboxState[] | Unseen;
  readonly orders: OrdersState | Unseen;
}

const seen = async <Part>(look: () => Promise<Part>): Promise<Part | Unseen> => {
  try {
    return await look();
  } catch (error) {
    return { unreachable: error instanceof Error ? error.message : String(error) };
  }
};

const outboxes = async (installation: Installation): Promise<OutboxState[]> => {
  const missing = new Set(installation.missing());
  const publishers = new Set(builtInRows.flatMap(({ name, publishes }) => (publishes.length > 0 ? [name] : [])));
  const states: OutboxState[] = [];
  for (const name of serviceNames)
    if (publishers.has(name) && !missing.has(name)) states.push(await outboxOf(name, await installation.store(name)));
  return states;
};

const orders = async (installation: Installation): Promise<OrdersState | Unseen> =>
  installation.missing().includes('orders')
    ? { unreachable: 'there are none yet' }
    : ordersOf(await installation.store('orders'));

const rowOf = ({ service, setting }: NotAsked): ProcessState => ({
  service,
  at: null,
  version: null,
  state: `not asked: ${setting} is not set`,
});

/** Reads everything; unreachable parts are reported as such. @throws {SettingsFault} */
export const lookAt = async (installation: Installation): Promise<Overview> => {
  const { rows, fault } = usableRows();
  const { from, all, unknown } = await addressesOf(installation, rows);
  const [processes, queues, events, waiting] = await Promise.all([
    Promise.all(all.map(probe)),
    seen(installation.queues),
    seen(() => outboxes(installation)),
    seen(() => orders(installation)),
  ]);
  return {
    at: new Date().toISOString(),
    data: installation.engines.store === 'SQLite' ? installation.directory : 'MongoDB',
    engines: installation.engines,
    servicesFile: fault,
    addresses: from,
    processes: [...processes.flat(), ...unknown.map(rowOf)],
    notAsked: unknown,
    queues,
    outboxes: events,
    orders: waiting,
  };
};
