import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientBounds } from '@boxoffice/identity';
import type { Message } from '@boxoffice/messaging';
import { type Served, serveOperations, testEngines } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { createOwnListeners } from '../../src/addresses/listeners.ts';
import { createAddressPolicy } from '../../src/addresses/policy.ts';
import type { Resolve } from '../../src/addresses/resolve.ts';
import { createContext } from '../../src/context.ts';
import { onFact } from '../../src/reactions/fact.ts';
import { routes } from '../../src/routes.ts';
import { collections } from '../../src/store.ts';
import { type Delivered, rightsFrom } from '../../src/webhooks/client-rights.ts';
import { openWebhooks } from '../../src/webhooks/open.ts';

export const engines = testEngines('events', collections);

const INSTITUTION = 'opera';
const ALL_SCOPES = ['catalog:read', 'contacts:read', 'orders:read', 'orders.sensitive:read', 'tickets:read'];

export type ServedCall = Partial<Parameters<Served['call']>[2]>;

interface EventPage {
  readonly items: readonly { readonly id: string; readonly resource: { readonly id: string } }[];
  readonly nextCursor: string;
}

export type Json = Record<string, unknown>;

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: Json & { readonly id: string; readonly type: string; readonly resource: { readonly id: string } };
}

export type Answer = (received: Received, respond: Parameters<RequestListener>[1]) => void;

/** A real receiver; `answer` may be replaced at any time. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  answer: Answer;
  /** The ids of the events in the order in which they arrived. */
  ids(): string[];
  close(): Promise<void>;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_received, response) =>
    void response.writeHead(code, headers).end();

/** Never answers. */
export const silence: Answer = () => undefined;

/** Starts a receiver on loopback. */
export const openReceiver = async (): Promise<Receiver> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const one = { headers: request.headers, text, event: JSON.parse(text) };
      received.push(one);
      receiver.answer(one, response);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: status(204),
    ids: () => received.map(({ event }) => event.id),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
};

/** Waits until the condition holds; a stalled process only makes it longer. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 240_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited four minutes for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

export interface InstanceOptions {
  readonly allowed?: readonly string[];
  readonly resolve?: Resolve;
  readonly answerMs?: number;
  readonly retentionMs?: number;
  readonly keyEncryptionKey?: string;
}

/** A clock that runs, and can be put forward. */
export class Clock {
  #ahead = 0;
  now = (): number => Date.now() + this.#ahead;
  advance(ms: number): void {
    this.#ahead += ms;
  }
}

const DAY_MS = 24 * 60 * 60_000;

/** Scopes and bounds of the clients of all instances, by client; every scope and no bounds by default. */
export class Registrations {
  readonly scopes = new Map<string, readonly string[]>();
  readonly bounds = new Map<string, ClientBounds>();
  isDown = false;
  rightsOf = async (_institution: string, client: string): Promise<Delivered> => {
    if (this.isDown) throw new Error('the authorizer is away');
    const [scopes, bounds] = [this.scopes.get(client) ?? ALL_SCOPES, this.bounds.get(client) ?? null];
    return rightsFrom(client, { scopes, bounds });
  };
}

/** One process of the service: operations and deliveries, on a store. */
export const openInstance = async (
  store: Store,
  { clock, clients }: { readonly clock: Clock; readonly clients: Registrations },
  options: InstanceOptions = {},
) => {
  const { allowed = ['127.0.0.0/8', '::1/128'], retentionMs = 30 * DAY_MS } = options;
  const { resolve = async () => ['127.0.0.1'], keyEncryptionKey = 'k'.repeat(32) } = options;
  const own = createOwnListeners({
    urls: ['https://tickets.example'],
    resolve: async () => [],
    ports: () => [8443],
    interfaces: () => [],
  });
  const logger = { error: console.error, warn: () => undefined, info: () => undefined } as never;
  const context = createContext({
    logger,
    store,
    serviceSecret: 's'.repeat(32),
    publicUrl: 'https://tickets.example',
    retentionMs,
    now: clock.now,
  });
  const { webhooks, deliveries } = openWebhooks({
    context,
    policy: createAddressPolicy({ allowed: () => allowed, own, resolve }),
    keyEncryptionKey,
    rightsOf: clients.rightsOf,
    logger,
    answerMs: options.answerMs ?? 15_000,
    lookEveryMs: 50,
  });
  const operations = routes(context, webhooks);
  const served: Served = await serveOperations('events', operations, store);
  deliveries.start();

  const all = { institution: INSTITUTION, scopes: ALL_SCOPES };
  const call = <Data = Json>(method: string, path: string, more: ServedCall = {}) =>
    served.call<Data>(method, `/svc/v3/webhooks${path}`, { ...all, ...more });

  let versions = 0;
  /** Records an event; returns its id. */
  const emit = async (type: string, resourceId = `ord_${randomUUID()}`): Promise<string> => {
    versions += 1;
    const id = `evt_${randomUUID()}`;
    const [kind = ''] = type.split('.');
    const resource = { type: kind as 'order', id: resourceId, version: versions };
    const occurredAt = new Date(clock.now()).toISOString();
    const event = { id, type, resource, position: clock.now() * 1_000 + versions, occurredAt, data: { state: 'open' } };
    await context.log.append(INSTITUTION, { event, before: null });
    return id;
  };

  return {
    call,
    operations,
    /** Any operation, by its whole path. */
    open: (method: string, path: string, more: ServedCall = {}, signal?: AbortSignal) =>
      served.open(method, path, { ...all, ...more }, signal),
    /** A page of events. */
    feed: async (query: string, more: ServedCall = {}) =>
      (await served.call<EventPage>('GET', `/svc/v3/events${query}`, { ...all, ...more })).data,
    /** Handles a fact, as the queue's consumer does. */
    take: (message: Message): Promise<void> => onFact(context, message),
    emit,
    context,
    webhook: async (url: string, body: object = {}, more: ServedCall = {}): Promise<{ id: string; secret: string }> => {
      const {
        status: code,
        data,
        text,
      } = await call<{ webhookId: string; secret: string }>('POST', '', {
        body: { url, types: ['order.*'], ...body },
        ...more,
      });
      if (code !== 201) throw new Error(text);
      return { id: data.webhookId, secret: data.secret };
    },
    state: async (id: string): Promise<Json> => (await call('GET', `/${id}`)).data,
    attempts: async (id: string, query = ''): Promise<Json[]> =>
      (await call<{ items: Json[] }>('GET', `/${id}/deliveries?limit=500${query}`)).data.items.toReversed(),
    cursor: (sequence: number): string => context.cursors.write(INSTITUTION, sequence),
    async close(): Promise<void> {
      await deliveries.close();
      await served.close();
      await Promise.all([context.tail.close(), context.streamCounts.close()]);
    },
  };
};

export type Instance = Awaited<ReturnType<typeof openInstance>>;
