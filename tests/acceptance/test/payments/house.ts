// A house with its real services in this process, on one clock that the test moves forward: what sells, takes money and
// issues tickets, and the simulator of the provider.

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import { createInProcessBus } from '@boxoffice/messaging';
import { createMemoryDeadLetters } from '@boxoffice/messaging/conformance';
import { type OrderDocument, orders, ordersCollection } from '@boxoffice/orders';
import {
  createPayments,
  type Disturb,
  type SimulatedSession,
  signWebhook,
  simulatedSessionsCollection,
} from '@boxoffice/payments';
import { createLogger, type Settings, type SettingsSpec } from '@boxoffice/runtime';
import { type RunningService, type ServiceDefinition, startService } from '@boxoffice/service';
import { openAuthority } from '@boxoffice/service/testkit';
import { openSqliteStores, type Store } from '@boxoffice/store';
import { waitUntil } from '@boxoffice/testkit';
import { tickets } from '@boxoffice/tickets';
import { jest } from '@jest/globals';
import { createMortal, type Mortal } from './mortal.ts';

const INSTITUTION = 'opera';
export const HOST = 'tickets.opera.example';
export const PRICE = 2_500;
const WEBHOOK_SECRET = 'whsec_of_the_house';

const PAGES = '/svc/v3/payment-providers/simulator/pages';
const HALLS = 1_000_000;

/** Longer than work that has failed three times waits, and shorter than the first look at a page. */
const PATIENCE_SECONDS = 25;
const SLOW_MS = 1_000;

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });

type Name = 'catalog' | 'contacts' | 'orders' | 'payments' | 'tickets';

export interface Answer<Data> {
  readonly status: number;
  readonly code: string;
  readonly data: Data;
}

interface Caller {
  readonly operation: string;
  readonly body?: unknown;
  /** The calling service; absent: a partner with every scope. */
  readonly service?: string;
}

type Webhook = Parameters<typeof signWebhook>[0];

export interface House {
  readonly item: { readonly performanceId: string; readonly seatCategoryId: string; readonly tariffId: string };
  readonly clock: { now: number };
  /** What becomes of the requests to the provider; undefined: they are answered. */
  disturb(disturb: Disturb | undefined): void;
  isDisturbed(): boolean;
  call<Data>(service: Name, method: string, path: string, caller: Caller): Promise<Answer<Data>>;
  /** Sends a form of the page of a session. */
  act(sessionId: string, fields: Readonly<Record<string, string>>): Promise<number>;
  /** Sends the service's route a signed webhook. */
  sendWebhook(webhook: Webhook): Promise<number>;
  /** What the provider has of a session. */
  sessionOf(sessionId: string): Promise<SimulatedSession>;
  orderOf(orderId: string): Promise<OrderDocument | undefined>;
  /** Ends the process of payments after so many halves of writes; the next one starts with `settle`. */
  killPayments(afterHalves: number): void;
  /** Resolves when nothing is under way or due by now. */
  settle(): Promise<void>;
  /** Lets so many milliseconds go by, and what has failed on a busy machine be tried again. */
  pass(ms: number): Promise<void>;
  /** The order's state, once it is this one, or 25 seconds later. */
  becomes(orderId: string, state: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** It goes on by itself, as that of the threads and the events does; a test moves it forward. */
const createClock = (): House['clock'] => {
  const { now: read } = Date;
  let ahead = 0;
  return {
    get now() {
      return read() + ahead;
    },
    set now(to) {
      ahead = to - read();
    },
  };
};

export async function openHouse(): Promise<House> {
  const clock = createClock();
  const spy = jest.spyOn(Date, 'now').mockImplementation(() => clock.now);
  const authority = await openAuthority('orders');
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-house-'));
  const engines = openSqliteStores({ directory });
  const definitions = { catalog, contacts, tickets, orders, payments: createPayments() };
  const bus = createInProcessBus({
    deadLetters: createMemoryDeadLetters(),
    logger,
    retryDelaysMs: [10, 20, 50, 100, 200, 400],
    serves: Object.values(definitions).flatMap(({ queues = [] }) => queues),
  });
  const stores = new Map<Name, Store>();
  const running = new Map<Name, RunningService>();

  const start = async <Spec extends SettingsSpec, State>(
    definition: ServiceDefinition<Spec, State>,
    settings: Settings<Spec>,
    wrap: (store: Store) => Store = (store) => store,
  ): Promise<RunningService> => {
    const name = definition.name as Name;
    const store = stores.get(name) ?? (await engines.open(name, definition.collections));
    stores.set(name, store);
    const service = await startService(definition, {
      store: wrap(store),
      bus,
      authorizerUrl: authority.listening.url,
      publicUrl: 'https://tickets.example',
      serviceSecret: 'a secret of the tests',
      host: '127.0.0.1',
      port: 0,
      logger,
      settings,
    });
    running.set(name, service);
    return service;
  };
  const urlOf = (name: Name): string => running.get(name)?.url ?? '';

  let mortal: Mortal | undefined;
  let disturb: Disturb | undefined;
  const startPayments = () =>
    start(
      createPayments((request, execute) => (disturb ? disturb(request, execute) : execute())),
      {
        keyEncryptionKey: randomKey,
        paymentGraceSeconds: 900,
        paymentSimulator: true,
        ordersUrl: urlOf('orders'),
        catalogUrl: urlOf('catalog'),
      },
      (store) => {
        mortal = createMortal(store);
        return mortal.store;
      },
    );
  const randomKey = randomBytes(32).toString('base64');

  const send = async (service: Name, path: string, init: RequestInit): Promise<Response> =>
    fetch(`${urlOf(service)}${path}`, { redirect: 'manual', ...init });

  const house: House = {
    item: { performanceId: '', seatCategoryId: '', tariffId: '' },
    clock,
    disturb: (given) => {
      disturb = given;
    },
    isDisturbed: () => disturb !== undefined,
    async call<Data>(service: Name, method: string, path: string, { operation, body, service: by }: Caller) {
      const identity = authority.sign(service, {
        institution: INSTITUTION,
        client: by === undefined ? 'partner' : null,
        service: by ?? null,
        scopes: by === undefined ? SCOPES : [],
        operation,
        user: null,
        bounds: null,
      });
      const response = await send(service, path, {
        method,
        headers: {
          [IDENTITY_HEADER]: identity,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(method !== 'GET' && by === undefined && { 'idempotency-key': randomUUID() }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status: code, data } = text === '' ? { status: '', data: null } : JSON.parse(text);
      return { status: response.status, code, data: data as Data };
    },
    async act(sessionId, fields) {
      const response = await send('payments', `${PAGES}/${sessionId}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      await response.text();
      return response.status;
    },
    async sendWebhook(webhook) {
      const { body, signature } = await signWebhook(webhook, WEBHOOK_SECRET, Math.floor(clock.now / 1_000));
      const response = await send('payments', `/svc/v3/payment-providers/stripe/webhooks/${INSTITUTION}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: new Uint8Array(body),
      });
      await response.text();
      return response.status;
    },
    async sessionOf(sessionId) {
      const sessions = required(stores.get('payments')).collection(simulatedSessionsCollection);
      return required(await sessions.of(INSTITUTION).get(sessionId));
    },
    orderOf: (orderId) => required(stores.get('orders')).collection(ordersCollection).of(INSTITUTION).get(orderId),
    killPayments: (afterHalves) => mortal?.dieAfter(afterHalves),
    async settle() {
      const names: readonly Name[] = ['catalog', 'contacts', 'tickets', 'orders', 'payments'];
      for (let quiet = 0; quiet < 2; quiet += 1) {
        if (mortal?.isDead()) {
          await running.get('payments')?.close();
          await startPayments();
        }
        for (const name of names) await running.get(name)?.idle();
        for (const name of names)
          if ((await required(stores.get(name)).outbox.pending(1)).length > 0) {
            quiet = -1;
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
      }
    },
    async pass(ms) {
      for (const step of [ms, 4_000, 6_000]) {
        clock.now += step;
        await house.settle();
      }
    },
    async becomes(orderId, state) {
      const read = async () => (await house.orderOf(orderId))?.state;
      for (let second = 0; second < PATIENCE_SECONDS; second += 1) {
        await house.settle();
        // What a caller no longer waits for goes on, on a busy machine for a while.
        const arrived = waitUntil(async () => (await read()) === state, { withinMs: SLOW_MS });
        if (await arrived.catch(() => false)) break;
        clock.now += 1_000;
      }
      return read();
    },
    async close() {
      for (const service of [...running.values()].reverse()) await service.close();
      await bus.close();
      await engines.close();
      await authority.listening.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      spy.mockRestore();
    },
  };

  await start(catalog, {});
  const profile = { id: INSTITUTION, name: 'Opera', currency: 'CHF', languages: ['en'] };
  await createInstitution(required(stores.get('catalog')), profile);
  await start(contacts, { duplicateEmailsPerMinute: 600 });
  await start(tickets, { ticketFontsDirectory: '/usr/share/fonts', doorClientIds: '' });
  await start(orders, {
    catalogUrl: urlOf('catalog'),
    contactsUrl: urlOf('contacts'),
    ticketsUrl: urlOf('tickets'),
    maxHeldPlaces: HALLS,
    posHeldPlacesPerAddress: HALLS,
    posHeldPlacesPerLogin: HALLS,
    paymentGraceSeconds: 900,
  });
  await startPayments();
  return Object.assign(house, { item: await putOnSale(house) });
}

const SCOPES = ['catalog', 'orders', 'payments', 'tickets'].flatMap((domain) =>
  ['', '.sensitive'].flatMap((kind) => ['read', 'write'].map((right) => `${domain}${kind}:${right}`)),
);

const DAY_MS = 24 * 60 * 60_000;

/** A performance with places for every history, and a point of sale that takes cards. */
const putOnSale = async ({ call, clock }: House): Promise<House['item']> => {
  const make = async <Data>(path: string, operation: string, body: object): Promise<Data> => {
    const { status, code, data } = await call<Data>('catalog', 'POST', `/svc/v3/catalog/${path}`, { operation, body });
    if (status !== 201) throw new Error(`${operation}: ${status} ${code}`);
    return data;
  };
  const keys = { secretKey: 'sk_simulated_of_the_house', webhookSecret: WEBHOOK_SECRET };
  const path = '/svc/v3/payment-providers/stripe';
  const set = await call('payments', 'PUT', path, { operation: 'setPaymentProvider', body: keys });
  if (set.status !== 200) throw new Error(`setPaymentProvider: ${set.status} ${set.code}`);
  const tariff = await make<{ id: string }>('tariffs', 'createTariff', { code: 'FULL', name: { en: 'Full' } });
  const show = await make<{ performances: { id: string; seatCategories: { id: string }[] }[] }>(
    'products',
    'createProduct',
    {
      code: 'CARMEN',
      type: 'show',
      name: { en: 'Carmen' },
      state: 'running',
      performances: [
        {
          startDate: new Date(clock.now + 10_000 * DAY_MS).toISOString(),
          venue: { name: 'Hall' },
          timeZone: 'Europe/Zurich',
          seatCategories: [{ code: 'FLOOR', name: { en: 'Floor' }, numbered: false, capacity: 2_000 }],
          prices: [{ seatCategory: 'FLOOR', tariffId: tariff.id, amount: PRICE }],
        },
      ],
    },
  );
  await make('points-of-sale', 'createPointOfSale', {
    serviceHost: HOST,
    name: 'Tickets',
    languages: ['en'],
    currency: 'CHF',
    tariffIds: [tariff.id],
    paymentMethods: ['external', 'stripe'],
    maxPlacesPerOrder: 50,
    holdMinutes: 15,
  });
  const [performance] = show.performances;
  return {
    performanceId: required(performance).id,
    seatCategoryId: required(performance?.seatCategories[0]).id,
    tariffId: tariff.id,
  };
};

const required = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('it has not started');
  return value;
};
