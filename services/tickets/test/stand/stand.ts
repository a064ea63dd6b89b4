import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnyOperation, createApp, openApiDocument } from '@boxoffice/http';
import { type Caller, createIdentityVerifier, IDENTITY_HEADER, type KeySet, signIdentity } from '@boxoffice/identity';
import type { Message } from '@boxoffice/messaging';
import type { OutboxEvent, Store } from '@boxoffice/store';
import { type Context, createContext } from '../../src/context.ts';
import { onContactErased } from '../../src/on-contact-erased.ts';
import { onOrderCancelled } from '../../src/on-order-cancelled.ts';
import { onOrderConfirmed } from '../../src/on-order-confirmed.ts';
import { routes } from '../../src/routes.ts';
import { type Engine, engines, type OpenEngine } from './engines.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing = { kid: randomUUID(), privateKey };
const keys: KeySet = { key: async (kid) => (kid === signing.kid ? publicKey : undefined), refresh: async () => {} };
const cursorKey = randomBytes(32);

const quiet = { info: () => {}, error: (message: string, fields?: object) => console.error(message, fields) };

/** The secret that every test instance has unless it says otherwise. */
export const SERVICE_SECRET = 'a secret of the tests alone';

/** An answer, read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: { readonly status: string; readonly details: string | null };
  readonly data: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly institution?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const matches = (operation: AnyOperation, method: string, path: string): boolean =>
  operation.method === method.toLowerCase() &&
  new RegExp(`^${operation.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path);

type Described = Record<string, Record<string, { readonly responses: object }>>;

/** One running instance of the service. Calls come as if through the gateway, `/internal/shop/…` as if from pos, the other internal ones as if from orders. */
export interface Instance {
  readonly context: Context;
  readonly store: Store;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Hands a fact to its reaction, as the bus would. */
  hear(type: string, data: object, options?: { institution?: string; version?: number }): Promise<void>;
  close(): Promise<void>;
}

/** Serves the tickets on a free port over this store. */
export const startInstance = async (store: Store, institution: string, secret = SERVICE_SECRET): Promise<Instance> => {
  const context = createContext(store, secret);
  const operations = routes(context);
  const { paths } = openApiDocument({ service: 'tickets', version: '0', operations }) as { paths: Described };
  const app = createApp({
    service: 'tickets',
    version: '0',
    operations,
    identify: createIdentityVerifier({ keys, audience: 'tickets' }),
    idempotency: store.idempotency,
    cursorKey,
    logger: quiet,
    checkAnswers: true,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const call: Instance['call'] = async (method, path, options = {}) => {
    const [plain = ''] = path.split('?');
    const found = operations.filter((one) => matches(one, method, plain));
    const operation = found.find((one) => one.path === plain) ?? found[0];
    const internal = plain.startsWith('/internal/');
    const caller: Caller = {
      institution: options.institution ?? institution,
      client: internal ? null : 'partner',
      service: internal ? (plain.startsWith('/internal/shop/') ? 'pos' : 'orders') : null,
      scopes: internal || !operation ? [] : [operation.access],
      operation: operation?.id ?? 'none',
    };
    const token = signIdentity(signing, { audience: 'tickets', caller, issuedAt: Math.floor(Date.now() / 1000) });
    const response = await fetch(url + path, {
      method,
      headers: {
        [IDENTITY_HEADER]: token,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const responses = operation && paths[operation.path]?.[operation.method]?.responses;
    if (responses && !(response.status in responses))
      throw new Error(`${operation.id} answered ${response.status}, which is not described`);
    const body = text === '' ? { status: '', details: null, data: null } : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body, data: body.data };
  };

  const reactions: Readonly<Record<string, (context: Context, message: Message) => Promise<void>>> = {
    'order.confirmed': onOrderConfirmed,
    'order.cancelled': onOrderCancelled,
    'contact.erased': onContactErased,
  };

  return {
    context,
    store,
    call,
    async hear(type, data, { institution: of = institution, version = 1 } = {}) {
      const message = { id: randomUUID(), type, key: 'any', version, institution: of, occurredAt: 'any', data };
      // A copy, as from a broker.
      await reactions[type]?.(context, JSON.parse(JSON.stringify(message)));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export interface Stand extends Instance {
  readonly institution: string;
  readonly engine: OpenEngine;
  /** The facts that are not published yet, of one order, in order. */
  facts(orderId: string): Promise<OutboxEvent[]>;
}

/** The service with an institution of its own, on the embedded engine unless another is given. */
export const openStand = async (engine: Engine | undefined = engines[0]): Promise<Stand> => {
  if (!engine) throw new Error('there is no engine');
  const open = await engine.start();
  const store = await open.open();
  const institution = `i${randomBytes(6).toString('hex')}`;
  const instance = await startInstance(store, institution);
  return {
    ...instance,
    institution,
    engine: open,
    facts: async (orderId) => (await store.outbox.pending(10_000)).filter(({ key }) => key === orderId),
    async close() {
      await instance.close();
      await open.close();
    },
  };
};
