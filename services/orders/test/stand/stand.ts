import { randomUUID } from 'node:crypto';
import { type AnyOperation, createCheck, openApiDocument } from '@boxoffice/http';
import { createServiceCredentials, IDENTITY_HEADER } from '@boxoffice/identity';
import { createInProcessBus, type DeadLetter, type Message, topology } from '@boxoffice/messaging';
import { createLogger, type Metrics } from '@boxoffice/runtime';
import { createPeer, type RunningService, startService } from '@boxoffice/service';
import { type Authority, openAuthority } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { orders } from '../../src/app.ts';
import type { Desk } from '../../src/desk.ts';
import { BEAT_EVERY_MS, createLease } from '../../src/lease.ts';
import { openDesk } from '../../src/open-desk.ts';
import { routes } from '../../src/routes.ts';
import { finishUnder, sweep } from '../../src/sweep.ts';
import { type CatalogStand, openCatalog } from './catalog.ts';
import type { Engine } from './engines.ts';
import { type ContactsStand, openContacts, openTickets, type TicketsStand } from './others.ts';

export type Order = Readonly<Record<string, never>> & {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly lines: readonly {
    readonly id: string;
    readonly ticketId: string | null;
    readonly place: { readonly id: string };
  }[];
};

export interface Reply<Data = Order> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly code: string;
  readonly details: string | null;
  /** As the caller expects it; null on errors. */
  readonly data: Data;
}

export interface Call {
  readonly institution?: string;
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly body?: unknown;
  readonly key?: string;
  readonly ifMatch?: string;
}

/** One instance of the service over a store, with stand-ins of the services that it calls. */
export interface Stand {
  readonly store: Store;
  readonly catalog: CatalogStand;
  readonly tickets: TicketsStand;
  readonly contacts: ContactsStand;
  /** What the commands work with, for tests that let a process die in the middle of one. */
  readonly desk: Desk;
  /** The process of the desk is found dead, and another one finishes what it had begun, then sweeps at so many milliseconds from now. */
  later(ms?: number): Promise<void>;
  /** The facts that it published so far. */
  readonly facts: readonly Message[];
  /** Calls an operation as the gateway does for a client; path below /svc/v3/orders. */
  call<Data = Order>(method: string, path: string, call?: Call): Promise<Reply<Data>>;
  /** Calls an internal operation as the point of sale does; path below /internal/shop/orders. */
  shop<Data>(method: string, path: string, call?: Pick<Call, 'institution' | 'body'>): Promise<Reply<Data>>;
  /** Delivers a fact and resolves when the service has taken it. */
  tell(type: string, data: Readonly<Record<string, unknown>>, version?: number): Promise<void>;
  /** One more instance on the same store. */
  another(): Promise<Pick<Stand, 'call' | 'shop' | 'tell' | 'close'>>;
  close(): Promise<void>;
}

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });

const everyScope = ['orders:read', 'orders:write', 'orders.sensitive:read', 'orders.sensitive:write'];

const operations = routes({} as Desk);

const operationFor = (method: string, path: string): AnyOperation | undefined =>
  operations
    .filter((one) => one.method === method.toLowerCase())
    .find((one) => new RegExp(`^${one.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path));

type Described = Record<string, Record<string, { readonly responses: object }>>;

/** Throws unless the description says that the operation can answer this status, and the answer has the declared shape. */
const createWitness = () => {
  const { paths } = openApiDocument({ service: 'orders', version: '0', operations }) as { paths: Described };
  const checks = new Map(
    operations.flatMap(({ id, answers }) =>
      Object.entries(answers).map(([status, schema]) => [`${id} ${status}`, createCheck(schema)]),
    ),
  );
  return ({ id, method, path }: AnyOperation, status: number, data: unknown): void => {
    const responses = paths[path]?.[method]?.responses;
    if (responses && !(status in responses)) throw new Error(`${id} answered ${status}, which is not described`);
    checks.get(`${id} ${status}`)?.(structuredClone(data));
  };
};

const witness = createWitness();

export interface StandOptions {
  readonly maxHeldPlaces?: number;
  readonly posHeldPlacesPerAddress?: number;
  readonly paymentGraceSeconds?: number;
  readonly metrics?: Metrics;
}

interface Surroundings {
  readonly authority: Authority;
  readonly catalog: CatalogStand;
  readonly tickets: TicketsStand;
  readonly contacts: ContactsStand;
}

const letters = (): { add(letter: DeadLetter): Promise<void>; list(): Promise<DeadLetter[]> } & {
  get(id: string): Promise<DeadLetter | undefined>;
  remove(id: string): Promise<boolean>;
} => {
  const kept = new Map<string, DeadLetter>();
  return {
    add: async (letter) => void kept.set(letter.id, letter),
    list: async () => [...kept.values()],
    get: async (id) => kept.get(id),
    remove: async (id) => kept.delete(id),
  };
};

const startInstance = async (
  store: Store,
  { authority, catalog, tickets, contacts }: Surroundings,
  { maxHeldPlaces = 5_000, posHeldPlacesPerAddress = 50, paymentGraceSeconds = 900, metrics }: StandOptions,
  facts: Message[],
) => {
  const bus = createInProcessBus({ deadLetters: letters(), logger, retryDelaysMs: [10, 10, 10, 10] });
  const collect = async (message: Message) => void facts.push(message);
  await bus.subscribe(topology.ticketsOrders, collect);
  await bus.subscribe({ ...topology.catalogReleases, types: ['order.expired'] }, collect);
  const service: RunningService = await startService(orders, {
    store,
    bus,
    authorizerUrl: authority.listening.url,
    publicUrl: 'https://localhost:8443',
    serviceSecret: 'a secret of the tests',
    host: '127.0.0.1',
    port: 0,
    logger,
    metrics,
    settings: {
      catalogUrl: catalog.url,
      contactsUrl: contacts.url,
      ticketsUrl: tickets.url,
      maxHeldPlaces,
      posHeldPlacesPerAddress,
      paymentGraceSeconds,
    },
  });

  const send = async <Data>(
    method: string,
    whole: string,
    who: { readonly client: string | null; readonly service: string | null; readonly scopes: readonly string[] },
    { institution = 'opera', body, key, ifMatch }: Call,
  ): Promise<Reply<Data>> => {
    const [plain = ''] = whole.split('?');
    const operation = operationFor(method, plain);
    const caller = { institution, ...who, operation: operation?.id ?? 'none' };
    const response = await fetch(`${service.url}${whole}`, {
      method,
      headers: {
        [IDENTITY_HEADER]: authority.sign('orders', caller),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? { status: '', details: null, data: null } : JSON.parse(text);
    if (operation && answer.data !== null) witness(operation, response.status, answer.data);
    const { status: code, details, data } = answer;
    return { status: response.status, headers: response.headers, text, code, details, data };
  };

  const call: Stand['call'] = (method, path, options = {}) => {
    const { client = 'partner', scopes = everyScope } = options;
    return send(method, `/svc/v3/orders${path}`, { client, service: null, scopes }, options);
  };

  const shop: Stand['shop'] = (method, path, options = {}) =>
    send(method, `/internal/shop/orders${path}`, { client: null, service: 'pos', scopes: [] }, options);

  const tell: Stand['tell'] = (type, data, version = 1) =>
    bus.publish({
      id: randomUUID(),
      type,
      key: String(data.orderId ?? 'none'),
      version,
      institution: 'opera',
      occurredAt: new Date().toISOString(),
      data,
    });

  return {
    call,
    shop,
    tell,
    async close() {
      await service.close();
      await bus.close();
    },
  };
};

/** Starts the service on an empty store of that engine. */
export const openStand = async (engine: Engine, options: StandOptions = {}): Promise<Stand> => {
  const authority = await openAuthority('orders');
  const [catalog, tickets, contacts] = await Promise.all([
    openCatalog(authority),
    openTickets(authority),
    openContacts(authority),
  ]);
  const { store, discard } = await engine.open();
  const facts: Message[] = [];
  const around = { authority, catalog, tickets, contacts };
  const instances = [await startInstance(store, around, options, facts)];
  const [first] = instances;
  if (!first) throw new Error('nothing was started');
  const { maxHeldPlaces = 5_000, posHeldPlacesPerAddress = 50, paymentGraceSeconds = 900 } = options;
  const credentials = createServiceCredentials({
    authorizerUrl: authority.listening.url,
    service: 'orders',
    secret: 'a secret of the tests',
  });
  const peers = {
    catalog: createPeer({ name: 'catalog', url: catalog.url, credentials }),
    contacts: createPeer({ name: 'contacts', url: contacts.url, credentials }),
    tickets: createPeer({ name: 'tickets', url: tickets.url, credentials }),
  };
  const limits = {
    maxHeldPlaces,
    maxHeldPlacesPerAddress: posHeldPlacesPerAddress,
    graceMs: paymentGraceSeconds * 1_000,
  };
  const desk = openDesk(store, peers, limits, logger);
  const heir = { ...desk, lease: createLease(store) };
  // What tests let die counts as alive until they say otherwise.
  const heartbeat = setInterval(() => void desk.lease.look().catch(() => undefined), BEAT_EVERY_MS);
  return {
    ...first,
    desk,
    async later(ms = 0) {
      await desk.lease.end();
      await finishUnder(heir, await heir.lease.look());
      await sweep({ ...heir, now: () => Date.now() + ms });
      // Another instance may have been quicker, and still be at it.
      const underLease = { 'begun.owner': { gte: 'lea_', lt: 'lea`' } };
      await until(async () => (await desk.orders.acrossInstitutions.count(underLease)) === 0);
    },
    store,
    catalog,
    tickets,
    contacts,
    facts,
    async another() {
      const more = await startInstance(store, around, options, facts);
      instances.push(more);
      return more;
    },
    async close() {
      clearInterval(heartbeat);
      for (const instance of instances) await instance.close();
      for (const peer of Object.values(peers)) peer.close();
      await discard();
      for (const peer of [catalog, tickets, contacts]) await peer.close();
      await authority.listening.close();
    },
  };
};

/** Resolves as soon as `holds` answers true; looks every 10 ms. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};
