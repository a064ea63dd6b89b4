import { randomUUID } from 'node:crypto';
import { createCheck, dereferenced, familyB, openApiDocument } from '@boxoffice/http';
import { createInProcessBus, type Message } from '@boxoffice/messaging';
import { createMemoryDeadLetters } from '@boxoffice/messaging/conformance';
import { createLogger } from '@boxoffice/runtime';
import { type RunningService, startService } from '@boxoffice/service';
import { openAuthority } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { pos } from '../../src/app.ts';
import type { PointOfSale } from '../../src/clients/catalog.ts';
import type { PosContext } from '../../src/context.ts';
import { routes } from '../../src/routes.ts';
import { createUser } from '../../src/users/users.ts';
import { codesIn } from '../versions/published.ts';
import { type CatalogStand, openCatalog } from './catalog.ts';
import { type Engine, engines } from './engines.ts';
import { type OrdersStand, openOrders } from './orders.ts';
import { type ContactsStand, openContacts, openTickets, type TicketsStand } from './others.ts';

/** The address that the outside sees. */
export const PUBLIC_URL = 'https://tickets.example';

export interface Reply<Data = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly success: boolean;
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** As the caller expects it; undefined on errors. */
  readonly data: Data;
  /** The token that the answer gave. */
  readonly token: string | null;
}

export interface Call {
  /** The point of sale; default: the stand's. Null: without the header. */
  readonly host?: string | null;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly version?: 'v1' | 'vexp';
}

/** A user who can log in. */
export interface Login {
  readonly login: string;
  readonly password: string;
  readonly contactNumber: string;
}

/** One instance of the service over a store, with fakes of the services that it calls. */
export interface Stand {
  readonly url: string;
  readonly store: Store;
  readonly catalog: CatalogStand;
  readonly contacts: ContactsStand;
  readonly orders: OrdersStand;
  readonly tickets: TicketsStand;
  readonly pointOfSale: PointOfSale;
  /** Messages that were logged as errors. */
  readonly errors: readonly string[];
  /** Calls an operation as the gateway does for a visitor; path below the version. */
  call<Data = Readonly<Record<string, unknown>>>(method: string, path: string, call?: Call): Promise<Reply<Data>>;
  /** A user of the point of sale with a contact of its own. */
  user(criteria?: readonly string[], at?: PointOfSale): Promise<Login>;
  /** Logs the user in and answers the token. */
  logIn(user: Login, call?: Call): Promise<string>;
  /** Delivers a fact and resolves when the service has taken it. */
  tell(type: string, data: object): Promise<void>;
  close(): Promise<void>;
}

export interface StandOptions {
  readonly engine?: Engine;
  readonly sessionIdleSeconds?: number;
  readonly sessionAbsoluteSeconds?: number;
  readonly loginFailuresPerAddress?: number;
  readonly simulatedPayments?: 'demo data' | 'always' | 'never';
}

const operations = routes({} as PosContext);
const described = dereferenced(openApiDocument({ service: 'pos', version: '1', operations, family: familyB })) as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Described> }>>;
};
interface Described {
  readonly content?: Record<string, { readonly schema?: unknown }>;
}

const matching = (method: string, path: string) => {
  const found = Object.entries(described.paths).filter(
    ([template, item]) =>
      method.toLowerCase() in item && new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path),
  );
  const [template, item] = found.find(([one]) => one === path) ?? found[0] ?? [];
  return template === undefined ? undefined : { template, described: item?.[method.toLowerCase()] };
};

const checks = new Map(
  operations.flatMap(({ path, method, answers }) =>
    Object.entries(answers).map(([status, schema]) => [`${method} ${path} ${status}`, createCheck(schema)]),
  ),
);

/** Throws unless the description says that the operation can answer this, and a success has the declared shape. */
const witness = (method: string, path: string, status: number, body: Record<string, unknown>): void => {
  const found = matching(method === 'HEAD' ? 'GET' : method, path);
  if (!found?.described) return;
  const response = found.described.responses[String(status)];
  if (!response) throw new Error(`${method} ${path} answered ${status}, which is not described`);
  if (typeof body.errorCode === 'string') {
    const codes = codesIn(response.content?.['application/json']?.schema);
    if (!codes.includes(body.errorCode)) throw new Error(`${method} ${path} answered ${body.errorCode}: not described`);
    return;
  }
  const template = found.template.replace('/tnwr/vexp', '/tnwr/v1');
  checks.get(`${method.toLowerCase()} ${template} ${status}`)?.(structuredClone(body.data));
};

const sqlite = (): Engine => {
  const [engine] = engines;
  if (!engine) throw new Error('there is no engine');
  return engine;
};

/** Starts the service on an empty store. */
export const openStand = async (options: StandOptions = {}): Promise<Stand> => {
  const authority = await openAuthority('pos');
  const tickets = await openTickets(authority);
  const [catalog, contacts, orders] = await Promise.all([
    openCatalog(authority),
    openContacts(authority),
    openOrders(authority, tickets),
  ]);
  const { store, discard } = await (options.engine ?? sqlite()).open();
  const errors: string[] = [];
  const logger = createLogger({ service: 'test', level: 'error', write: (line) => void errors.push(line) });
  const bus = createInProcessBus({ deadLetters: createMemoryDeadLetters(), logger, retryDelaysMs: [10, 10] });
  const service: RunningService = await startService(pos, {
    store,
    bus,
    authorizerUrl: authority.listening.url,
    publicUrl: PUBLIC_URL,
    serviceSecret: 'a secret of the tests',
    host: '127.0.0.1',
    port: 0,
    logger,
    settings: {
      catalogUrl: catalog.url,
      contactsUrl: contacts.url,
      ordersUrl: orders.url,
      ticketsUrl: tickets.url,
      sessionIdleSeconds: options.sessionIdleSeconds ?? 1_800,
      sessionAbsoluteSeconds: options.sessionAbsoluteSeconds ?? 43_200,
      loginFailuresPerAddress: options.loginFailuresPerAddress ?? 300,
      simulatedPayments: options.simulatedPayments ?? 'always',
    },
  });
  const pointOfSale = catalog.pointOfSale();

  const call: Stand['call'] = async (method, path, given = {}) => {
    const { host = pointOfSale.serviceHost, token, body, headers = {}, version = 'v1' } = given;
    const whole = `/tnwr/${version}${path}`;
    const takesBody = ['POST', 'PUT', 'PATCH'].includes(method);
    const response = await fetch(`${service.url}${whole}`, {
      method,
      headers: {
        ...(host === null ? {} : { 'x-service-host': host }),
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(takesBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? {} : JSON.parse(text);
    if (text !== '') witness(method, whole.split('?')[0] ?? '', response.status, answer);
    return {
      status: response.status,
      headers: response.headers,
      text,
      success: answer.success,
      code: answer.errorCode,
      body: answer,
      data: answer.data,
      token: response.headers.get('x-auth-token'),
    };
  };

  const user: Stand['user'] = async (criteria = [], at = pointOfSale) => {
    const contactNumber = `C${randomUUID().slice(0, 8).toUpperCase()}`;
    const login = { login: `${randomUUID()}@example.org`, password: randomUUID(), contactNumber };
    contacts.contact(contactNumber, criteria);
    await createUser(store, { institution: at.institution, serviceHost: at.serviceHost, ...login });
    return login;
  };

  return {
    url: service.url,
    store,
    catalog,
    contacts,
    orders,
    tickets,
    pointOfSale,
    errors,
    call,
    user,
    async logIn({ login, password }, given = {}) {
      const { token, text } = await call('POST', '/sessions', { ...given, body: { login, password } });
      if (token === null) throw new Error(text);
      return token;
    },
    tell: (type, data) => {
      const message: Message = {
        id: randomUUID(),
        type,
        key: 'none',
        version: 1,
        institution: 'opera',
        occurredAt: new Date().toISOString(),
        data,
      };
      return bus.publish(message);
    },
    async close() {
      await service.close();
      await bus.close();
      await discard();
      for (const fake of [catalog, contacts, orders, tickets]) await fake.close();
      await authority.listening.close();
    },
  };
};

/** Resolves as soon as `holds` answers true; looks every 10 ms. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};
