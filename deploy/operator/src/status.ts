import { timeZoneRelease } from '@boxoffice/http/local-time';
import { type OrderDocument, type OrderWork, ordersCollection } from '@boxoffice/orders';
import { builtInRows } from '@boxoffice/runtime/services';
import type { Store, Where } from '@boxoffice/store';
import { type Command, formatResult, type Report } from './command.ts';
import { type Installation, readUsableRows, serviceNames } from './installation.ts';
import { findAddresses, type NotAsked, type ProcessState, probe } from './processes.ts';

type OutboxState = Awaited<ReturnType<typeof outboxOf>>;

type OrdersState = Awaited<ReturnType<typeof ordersOf>>;

/** The upper limit of the counts. */
const COUNTED = 1_000;

/** Due work is done within seconds; what is due for longer has failed. */
const SWEPT_SECONDS = 60;

/** The next attempt of what has failed is at most this far ahead. */
const RETRIED_MS = 40_000;

const ageOf = (at: number, now: number): number => Math.max(0, Math.round((now - at) / 1_000));

const outboxOf = async (service: string, { outbox }: Store) => {
  const events = await outbox.pending(COUNTED);
  const [oldest] = events;
  return {
    service,
    /** At most {@link COUNTED}. */
    events: events.length,
    /** Age of the oldest; 0 without events. */
    oldestSeconds: oldest ? ageOf(Date.parse(oldest.occurredAt), Date.now()) : 0,
  };
};

const ordersOf = async (store: Store) => {
  const orders = store.collection(ordersCollection).acrossInstitutions;
  const now = Date.now();
  const due = now - SWEPT_SECONDS * 1_000;
  const some = (where: Where, orderBy: string): Promise<OrderDocument[]> =>
    orders.find({ where, orderBy, limit: COUNTED });
  const unsettled = { 'cancellation.settledAt': null, 'cancellation.requestedAt': { gt: 0 } } as const;
  const open = await some(unsettled, 'cancellation.requestedAt');
  const waiting = await orders.listDue({ until: now + RETRIED_MS, limit: COUNTED });
  const late = (name: OrderWork): number => waiting.filter((order) => (order.due?.[name]?.since ?? now) <= due).length;
  const [oldest] = open;
  return {
    /** Cancelled orders whose tickets or places have not all followed. */
    openCancellations: open.length,
    oldestCancellationSeconds: oldest?.cancellation ? ageOf(oldest.cancellation.requestedAt, now) : 0,
    /** Orders past their deadline whose end is still due. */
    expiredUnswept: late('expire'),
    /** Orders that are paid in full and still to be sold. */
    stuckSteps: late('sell'),
  };
};

/** An unreadable part of the installation, and the reason. */
interface Unseen {
  readonly unreachable: string;
}

const isUnseen = (part: object): part is Unseen => 'unreachable' in part;

export type Overview = Awaited<ReturnType<typeof lookAt>>;

const tryLook = async <Part>(look: () => Promise<Part>): Promise<Part | Unseen> => {
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
const lookAt = async (installation: Installation) => {
  const { rows, fault } = readUsableRows();
  const { from, all, unknown } = await findAddresses(installation, rows);
  const [processes, queues, events, waiting] = await Promise.all([
    Promise.all(all.map(probe)),
    tryLook(installation.queues),
    tryLook(() => outboxes(installation)),
    tryLook(() => orders(installation)),
  ]);
  return {
    /** ISO 8601 UTC. */
    at: new Date().toISOString(),
    data: installation.engines.store === 'SQLite' ? installation.directory : 'MongoDB',
    engines: installation.engines,
    timeZones: timeZoneRelease,
    /** Why the services file cannot be used, so that only the product's own services are looked at; null: it can. */
    servicesFile: fault,
    addresses: from,
    /** The probed processes, then a row for each of `notAsked`. */
    processes: [...processes.flat(), ...unknown.map(rowOf)],
    notAsked: unknown,
    queues,
    outboxes: events,
    orders: waiting,
  };
};

/** An event that waits longer is not being published. */
const OUTBOX_SECONDS = 60;

/** The limit of a cancellation: it settles within seconds, retries of a message take some minutes. */
const CANCELLATION_SECONDS = 300;

const plural = (count: number, one: string, many: string): string =>
  `${count >= COUNTED ? `at least ${count}` : count} ${count === 1 ? one : many}`;

const ofProcesses = ({ addresses, processes, notAsked, data }: Overview): string[] => {
  if (addresses === 'nowhere') {
    const settings = notAsked.map(({ setting }) => setting).join(', ');
    return settings === ''
      ? [`boxoffice is not running on ${data}`]
      : [`no process could be reached: none of ${settings} is set`];
  }
  if (processes.length === 0) return ['boxoffice is still starting'];
  return processes.flatMap(({ service, at, state }) =>
    at === null || state === 'ready' ? [] : [`${service} at ${at} is ${state}`],
  );
};

const ofMessages = ({ queues, outboxes }: Overview): string[] => {
  const dead = isUnseen(queues) ? 0 : queues.reduce((sum, queue) => sum + queue.dead, 0);
  const ageing = isUnseen(outboxes) ? [] : outboxes.filter(({ oldestSeconds }) => oldestSeconds > OUTBOX_SECONDS);
  return [
    ...(isUnseen(queues) ? [`queues: ${queues.unreachable}`] : []),
    ...(isUnseen(outboxes) ? [`outboxes: ${outboxes.unreachable}`] : []),
    ...(dead > 0 ? [`${plural(dead, 'dead letter', 'dead letters')} (dead-letters list)`] : []),
    ...ageing.map(
      ({ service, events, oldestSeconds }) =>
        `${plural(events, 'event', 'events')} of ${service} not published, the oldest for ${oldestSeconds} s`,
    ),
  ];
};

const ofOrders = ({ orders }: Overview): string[] => {
  if (isUnseen(orders)) return [];
  const { openCancellations, oldestCancellationSeconds, expiredUnswept, stuckSteps } = orders;
  const many = 'orders';
  return [
    ...(oldestCancellationSeconds > CANCELLATION_SECONDS
      ? [
          `${plural(openCancellations, 'cancellation', 'cancellations')} open, the oldest for ${oldestCancellationSeconds} s`,
        ]
      : []),
    ...(expiredUnswept > 0
      ? [`${plural(expiredUnswept, 'order', many)} expired over ${SWEPT_SECONDS} s ago and not swept`]
      : []),
    ...(stuckSteps > 0
      ? [`${plural(stuckSteps, 'order', many)} paid in full and not confirmed for over ${SWEPT_SECONDS} s`]
      : []),
  ];
};

export function listProblems(overview: Overview): string[] {
  return [
    ...(overview.servicesFile === null ? [] : [overview.servicesFile]),
    ...ofProcesses(overview),
    ...ofMessages(overview),
    ...ofOrders(overview),
  ];
}

/** The last line: the problems, and the processes not probed; all is well only if everything was probed. */
export function formatVerdict(overview: Overview, problems: readonly string[]): string {
  const { addresses, notAsked } = overview;
  const wrong = problems.length > 0 ? `WRONG: ${problems.join('; ')}` : undefined;
  // A lack of any probe is among the problems.
  if (notAsked.length === 0 || addresses === 'nowhere') return wrong ?? 'all is well';
  const unasked = notAsked.map(({ service, setting }) => `${service} (${setting})`).join(', ');
  return `${wrong ?? 'no problem in the processes that were reached'}; not asked: ${unasked}`;
}

const section = (name: string, part: object): string =>
  isUnseen(part) ? `${name}: unreachable: ${part.unreachable}` : `${name}\n${formatResult(part, false)}`;

const processesOf = ({ addresses, processes }: Overview): string => {
  if (processes.length === 0) return 'processes: none';
  return `processes${addresses === 'nowhere' ? '' : ` (from ${addresses})`}\n${formatResult(processes, false)}`;
};

const reportOf = (overview: Overview): Report => {
  const { at, data, engines, timeZones, servicesFile, queues, outboxes, orders } = overview;
  const problems = listProblems(overview);
  return {
    kind: 'report',
    wrong: problems.length > 0,
    text: [
      `${at}  ${data}  ${engines.store}, ${engines.bus}, time zones ${timeZones}`,
      ...(servicesFile === null ? [] : [`services of teams: not looked at: ${servicesFile}`]),
      processesOf(overview),
      section('queues', queues),
      section('outboxes', outboxes),
      section('orders', orders),
      formatVerdict(overview, problems),
    ].join('\n\n'),
    json: { ...overview, problems },
  };
};

export const status: readonly Command[] = [
  {
    name: 'status',
    usage: '',
    about:
      'every process’s version and readiness (at GATEWAY_URL, AUTHORIZER_URL, CATALOG_URL, CONTACTS_URL, ' +
      'ORDERS_URL, TICKETS_URL, EVENTS_URL, PAYMENTS_URL, POS_URL, the origin of its health: each instance that a ' +
      'name stands for; those that are not set where npm start recorded them in the data directory; what neither ' +
      'tells is not asked, which the last line says), queues, dead letters, outboxes, open cancellations, expired ' +
      'orders; exit status 1 when something is wrong or no process could be asked, and the last line says what',
    run: async (installation) => reportOf(await lookAt(installation)),
  },
];
