import { randomUUID } from 'node:crypto';
import { authorizer, createApiKey, createClient, createRecordUsage } from '@boxoffice/authorizer';
import {
  type CodeDocument,
  catalog,
  deriveCodeId,
  type PerformanceDocument,
  type PlaceDocument,
  type RuleDocument,
} from '@boxoffice/catalog';
import { type ContactDocument, contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { type OrderDocument, orders } from '@boxoffice/orders';
import { type PaymentDocument, payments, type RefundDocument } from '@boxoffice/payments';
import { pos, type SessionDocument, type UserDocument } from '@boxoffice/pos';
import { listTestEngines } from '@boxoffice/service/testkit';
import type { CollectionHandle, Document, New } from '@boxoffice/store';
import { type TicketDocument, tickets } from '@boxoffice/tickets';
import { type CheckedCollections, type CheckedStores, openCollections } from '../../src/check/reading.ts';

/** The stores of an installation, on each engine available to this run. */
export const engines = listTestEngines('catalog', catalog.collections).map(({ name }) => ({
  name,
  async open(): Promise<{ stores: CheckedStores; close(): Promise<void> }> {
    const opened = new Map<string, Awaited<ReturnType<ReturnType<typeof listTestEngines>[number]['open']>>>();
    for (const service of [authorizer, catalog, contacts, events, orders, payments, tickets, pos]) {
      const engine = listTestEngines(service.name, service.collections).find((one) => one.name === name);
      if (engine) opened.set(service.name, await engine.open());
    }
    const stores = Object.fromEntries([...opened].map(([service, { store }]) => [service, store]));
    return {
      stores: stores as CheckedStores,
      async close() {
        for (const { discard } of opened.values()) await discard();
      },
    };
  },
}));

const HOUR = 3_600_000;
const SOLD = 9_000_000_000_000_000;
const at = new Date(Date.now() - HOUR).toISOString();
const free = { state: 'free', freeFrom: 0, holder: null, request: null, item: null, asOf: 0 } as const;

/** An open order of nothing. */
export function createOrder(own: { readonly id: string } & Partial<OrderDocument>): New<OrderDocument> {
  return {
    state: 'open',
    client: null,
    pointOfSale: null,
    contactNumber: null,
    externalReference: null,
    currency: 'CHF',
    lines: [],
    performanceId: 'prf',
    performanceIds: [],
    payments: [],
    refunds: [],
    expiresAt: null,
    dueAt: null,
    deadline: null,
    cameFrom: null,
    ticketsByCall: true,
    confirmedAt: null,
    cancellation: null,
    ticketNotes: [],
    heldPlaces: 0,
    shortNumber: own.id,
    createdAt: 1,
    modifiedAt: 1,
    listedAt: 1,
    ...own,
  };
}

const page = { paymentId: 'pay', orderId: 'ord', institution: 'club', amount: 100, currency: 'CHF', number: 'K7XQ' };

const LIMIT = 2;

const CODE = 'SPRING';

/** A discount of 500 with a limit, asked for by a code with a limit. */
const createDiscount = (id: string): New<RuleDocument> => ({
  id,
  rule: {
    ...{ kind: 'discount', name: { en: 'Spring' }, trigger: 'code', effect: { amount: 500 }, unlocks: [] },
    ...{ criterion: null, productIds: null, performanceIds: null, tariffIds: null, minPlaces: 1, channels: null },
    ...{ validFrom: null, validTo: null, limits: { uses: LIMIT, usesPerOrder: null }, state: 'active' },
  },
  pool: { capacity: LIMIT, made: LIMIT },
  revision: 1,
  createdAt: at,
  updatedAt: at,
});

/** What the discount makes of a line of 2,500 with a tax and a fee. */
const compose = (discountId: string, uses: readonly string[]) => {
  const [name, tax] = [{ en: 'Spring' }, { taxId: 'tax_1', rate: '8.1' }];
  const all = { unlocks: [], criterion: null, productIds: null, performanceIds: null, tariffIds: null };
  const terms = { ...all, id: discountId, name, trigger: 'code', effect: { amount: 500 }, minPlaces: 1 } as const;
  return {
    ...{ base: 2_500, tax, fees: [{ id: 'fee_1', name, effect: { amount: 100 }, tax }] },
    grant: { terms: { ...terms, channels: null, createdAt: at }, code: CODE, uses },
    components: [
      { kind: 'discount' as const, id: discountId, name, amount: -500 },
      { kind: 'fee' as const, id: 'fee_1', name, amount: 100 },
    ],
    taxes: [{ ...tax, net: 1_943, tax: 157, gross: 2_100 }],
  };
};

/** A payment of a provider that was captured and reported. */
export function createProviderPayment(own: Pick<PaymentDocument, 'id' | 'orderId'> & Partial<PaymentDocument>) {
  return {
    provider: 'stripe',
    mode: 'test',
    pointOfSale: 'tickets.example',
    amount: 100,
    currency: 'CHF',
    state: 'captured',
    request: { ...page, methods: ['card'], language: null, returnUrl: 'https://shop.example/', endsAtSeconds: 1 },
    attempt: 1,
    sentAt: 1,
    reference: `cs_${own.id}`,
    url: 'https://checkout.example/',
    endsAt: 1,
    until: 1,
    charge: 'pi_1',
    dispute: null,
    reported: true,
    lookedAt: null,
    createdAt: 1,
    finalAt: 1,
    abandonedAt: null,
    ...own,
  } satisfies New<PaymentDocument>;
}

export function createProviderRefund(
  own: Pick<RefundDocument, 'id' | 'orderId' | 'paymentId'> & Partial<RefundDocument>,
) {
  return {
    provider: 'stripe',
    purpose: 'order',
    amount: 100,
    currency: 'CHF',
    state: 'done',
    request: null,
    attempt: 1,
    sentAt: 1,
    renewedAt: null,
    reference: `re_${own.id}`,
    reported: true,
    createdAt: 1,
    finalAt: 1,
    ...own,
  } satisfies New<RefundDocument>;
}

/** A document of a collection. */
type Of<Name extends keyof CheckedCollections> =
  CheckedCollections[Name] extends CollectionHandle<infer Found> ? Found : never;

export type InstitutionFixture = Awaited<ReturnType<typeof createInstitutionFixture>>;

/**
 * Creates a consistent institution in the stores: a performance of six places, of which one is held and three are sold,
 * one of them with a use of a discount of two and the only use of its code; `hasAccess`: with a user, a grant, an API key and usage.
 */
export async function createInstitutionFixture(stores: CheckedStores, institution: string, hasAccess = false) {
  const collections = openCollections(stores);
  const suffix = randomUUID().slice(0, 8);
  /** `name` with a suffix unique to this fixture. */
  const id = (name: string) => `${name}_${suffix}`;
  const place = (number: number) => `plc_${suffix}_0_0_${number}`;
  const category = id('cat');
  const [discountId, codeId] = [id('dsc'), deriveCodeId(institution, CODE)];
  const use = (pool: string, number: number) => `use_${pool}_${number}`;

  const placeOf = (number: number, taken: Partial<PlaceDocument>): New<PlaceDocument> => ({
    id: place(number),
    performanceId: id('prf'),
    seatCategoryId: category,
    label: `F ${number}`,
    row: null,
    seat: null,
    order: number,
    position: number / 10,
    ...free,
    ...taken,
  });
  const useOf = (pool: string, number: number, taken: Partial<PlaceDocument> = {}): New<PlaceDocument> => ({
    ...placeOf(number, taken),
    ...{ id: use(pool, number), performanceId: pool, seatCategoryId: pool, label: `${number}` },
  });
  const line = (name: string, number: number, ticketId: string | null) => ({
    id: id(`lin_${name}`),
    productId: id('prd'),
    performanceId: id('prf'),
    startDate: at,
    seatCategoryId: category,
    tariffId: id('trf'),
    criterion: null,
    place: { id: place(number), label: `F ${number}`, row: null, seat: null },
    amount: 2_500,
    ticketId,
    replacements: [],
  });
  const orderOf = (name: string, number: number, rest: Partial<OrderDocument>): New<OrderDocument> =>
    createOrder({
      id: id(name),
      state: 'confirmed',
      client: 'cli',
      contactNumber: id('C1'),
      lines: [line(name, number, id(`tic_${name}`))],
      performanceId: id('prf'),
      performanceIds: [id('prf')],
      confirmedAt: 1,
      ...rest,
    });
  const ticketOf = (name: string, number: number, rest: Partial<TicketDocument>): New<TicketDocument> => ({
    id: id(`tic_${name}`),
    status: 'printed',
    orderId: id(name),
    lineId: id(`lin_${name}`),
    performanceId: id('prf'),
    seatCategoryId: category,
    tariffId: id('trf'),
    place: { id: place(number), label: `F ${number}`, row: null, seat: null },
    price: { amount: 2_500, currency: 'CHF' },
    beneficiary: null,
    barcode: 'barcode',
    printedAt: at,
    controlledAt: null,
    gate: null,
    replaces: null,
    replacedBy: null,
    contactNumber: id('C1'),
    contactAsOf: 1,
    createdAt: at,
    updatedAt: at,
    ...rest,
  });

  const performance: New<PerformanceDocument> = {
    id: id('prf'),
    productId: id('prd'),
    startDate: at,
    durationMinutes: 90,
    venue: { name: 'Hall', city: null },
    timeZone: 'Europe/Zurich',
    salesFrom: null,
    salesTo: null,
    state: 'on_sale',
    seatCategories: [{ id: category, code: 'F', name: { en: 'F' }, numbered: false, capacity: 6, rows: [], made: 7 }],
    prices: [],
    soleOf: null,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    modifiedAt: at,
  };
  await collections.performances.of(institution).insert(performance);
  const held = { state: 'held', freeFrom: Date.now() + HOUR, holder: id('ord_open'), request: 'r', item: 0 } as const;
  const sold = (name: string) => ({ state: 'sold', freeFrom: SOLD, holder: id(name), request: 'r', item: 0 }) as const;
  await collections.places
    .of(institution)
    .insertMany([
      placeOf(1, held),
      placeOf(2, sold('ord_sold')),
      placeOf(3, sold('ord_replaced')),
      placeOf(4, sold('ord_kept')),
      placeOf(5, {}),
      placeOf(6, {}),
      placeOf(7, { state: 'withdrawn', freeFrom: SOLD + 1 }),
      useOf(discountId, 1, sold('ord_sold')),
      useOf(discountId, 2),
      useOf(codeId, 1, sold('ord_sold')),
    ]);
  await collections.priceRules.of(institution).insert(createDiscount(discountId));
  const code: New<CodeDocument> = {
    ...{ id: codeId, discountId, batchId: id('bat'), code: CODE, maxUses: 1, state: 'active', createdAt: at },
  };
  await collections.discountCodes.of(institution).insert(code);
  const contact = (number: string): New<ContactDocument> => ({
    id: id(number),
    contactNumber: id(number),
    kind: 'individual',
    details: { lastName: 'Haskil' },
    createdAt: at,
    updatedAt: at,
  });
  const { details: _, ...erased } = contact('C2');
  await collections.contacts.of(institution).insertMany([contact('C1'), { ...erased, erasedAt: at }]);
  const cancellation = {
    reason: null,
    requestedAt: 1,
    hadTickets: true,
    ticketsCancelled: 0,
    controlled: 1,
    placesReleased: 0,
    settledAt: 2,
    ticketsVersion: 1,
    placesVersion: 1,
  };
  const deadline = held.freeFrom;
  await collections.orders.of(institution).insertMany([
    orderOf('ord_open', 1, {
      state: 'open',
      lines: [line('ord_open', 1, null)],
      confirmedAt: null,
      deadline,
      expiresAt: deadline,
      heldPlaces: 1,
    }),
    orderOf('ord_sold', 2, {
      lines: [
        {
          ...line('ord_sold', 2, id('tic_ord_sold')),
          amount: 2_100,
          price: compose(discountId, [use(discountId, 1), use(codeId, 1)]),
        },
      ],
    }),
    orderOf('ord_replaced', 3, { lines: [line('ord_replaced', 3, id('tic_next'))], contactNumber: id('C2') }),
    orderOf('ord_kept', 4, { state: 'cancelled', cancellation }),
    orderOf('ord_gone', 5, {
      state: 'cancelled',
      cancellation: { ...cancellation, ticketsCancelled: 1, controlled: 0, placesReleased: 1 },
    }),
    orderOf('ord_late', 5, { state: 'expired', confirmedAt: null, lines: [line('ord_late', 5, null)] }),
  ]);
  await collections.tickets.of(institution).insertMany([
    ticketOf('ord_sold', 2, {}),
    ticketOf('ord_replaced', 3, {
      status: 'invalidated',
      replacedBy: id('tic_next'),
      contactNumber: id('C2'),
    }),
    ticketOf('ord_replaced', 3, { id: id('tic_next'), replaces: id('tic_ord_replaced'), contactNumber: id('C2') }),
    ticketOf('ord_kept', 4, { status: 'controlled', kept: true }),
    ticketOf('ord_gone', 5, { status: 'cancelled' }),
  ]);
  const session: New<SessionDocument> = {
    id: id('session'),
    sessionId: 's',
    serviceHost: 'shop.example',
    userId: null,
    login: null,
    contactNumber: null,
    cartId: id('ord_nowhere'),
    orderIds: [],
    createdAt: 1,
    lastSeenAt: 1,
    expiresAt: deadline,
  };
  await collections.sessions.of(institution).insert(session);
  const login: New<UserDocument> = {
    id: id('login'),
    serviceHost: 'shop.example',
    login: 'ana',
    passwordHash: '',
    contactNumber: id('C1'),
    createdAt: at,
  };
  await collections.logins.of(institution).insert(login);
  if (hasAccess) await createAccess(stores, collections, institution, id);

  const change = async <Name extends keyof CheckedCollections>(
    collection: Name,
    documentId: string,
    to: Partial<Of<Name>> | ((document: Of<Name>) => Partial<Of<Name>>),
  ): Promise<void> => {
    const handle = collections[collection] as unknown as CollectionHandle<Document>;
    await handle.of(institution).update(documentId, (current) => ({
      next: { ...current, ...(typeof to === 'function' ? to(current as never) : to) },
    }));
  };
  return {
    institution,
    collections,
    id,
    place,
    discountId,
    codeId,
    use,
    change,
    order: (name: string, to: (order: OrderDocument) => Partial<OrderDocument>) => change('orders', id(name), to),
    ticket: (name: string, to: Partial<TicketDocument>) => change('tickets', id(name), to),
    setPlace: (number: number, to: Partial<PlaceDocument>) => change('places', place(number), to),
    addTicket: async (name: string, rest: Partial<TicketDocument>) =>
      void (await collections.tickets.of(institution).insert(ticketOf(name, 2, rest))),
  };
}

/** A user who is signed in at a client, an API key, and what both were counted. */
const createAccess = async (
  stores: CheckedStores,
  collections: CheckedCollections,
  institution: string,
  id: (name: string) => string,
): Promise<void> => {
  const { clientId } = await createClient(stores.authorizer, { institution, name: 'desk', scopes: [] });
  const now = Date.now();
  await collections.users.of(institution).insert({
    id: id('usr'),
    login: 'ana@example.org',
    loginKey: 'ana@example.org',
    name: 'Ana',
    role: 'customer',
    contactNumber: id('C1'),
    pointsOfSale: [],
    state: 'active',
    passwordHash: 'hash',
    invitation: null,
    signedOutAt: 0,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    lastSignInAt: null,
  });
  const session = { id: id('ses'), userId: id('usr'), signedInAt: now, lastSeenAt: now, expiresAt: now + HOUR };
  await collections.signIns.of(institution).insert(session);
  await collections.grants.of(institution).insert({
    id: id('gnt'),
    clientId,
    userId: id('usr'),
    scopes: [],
    redirectUri: 'https://desk.example/callback',
    challenge: 'challenge',
    nonce: null,
    sessionId: id('ses'),
    signedInAt: now,
    createdAt: now,
    exchangedAt: now,
    endedAt: null,
    secretId: null,
    refresh: null,
    expiresAt: now + HOUR,
  });
  const { apiKeyId } = await createApiKey(stores.authorizer, institution, { name: 'calendar' });
  const minute = new Date(now - (now % 60_000) - 3 * HOUR).toISOString();
  const row = { institution, minute, operation: 'getCatalog', status: 200, requests: 3, bytes: 900 };
  await createRecordUsage(
    stores.authorizer,
    Date.now,
  )({
    gateway: id('gateway'),
    sequence: 1,
    rows: [
      { ...row, apiKeyId, clientId: null, userId: null },
      { ...row, apiKeyId: null, clientId, userId: id('usr') },
    ],
  });
};

/** A place that an order has bought. */
export function createSoldPlace(holder: string) {
  return { state: 'sold', freeFrom: SOLD, holder, request: 'r', item: 0 } as const;
}
