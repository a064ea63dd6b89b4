import type { Announced, Retentions } from '@boxoffice/service';
import {
  type CollectionHandle,
  collection,
  type Document,
  type Documents,
  type Index,
  type New,
  type Store,
  type Where,
  wrapCollection,
  wrapInserts,
} from '@boxoffice/store';
import { findChange } from './domain/changes/change.ts';
import { createOrderConfirmedFact, type DomainFact } from './domain/order/facts.ts';
import { completeGoodwill, computeCredit, isAmountList, limitGoodwill } from './domain/order/money.ts';
import type { Order } from './domain/order/order.ts';
import { addWork, ISSUED_BY_0_3_MS, orderWork } from './follows.ts';
import { deriveOrderNumber } from './ids.ts';

/** `performanceId` is the first performance it ever had; the others have links. */
export interface OrderDocument extends Order, Document, Pick<Announced, 'lastAnnouncement'> {
  readonly performanceId: string;
  /** Unique in the institution, and never changed. */
  readonly shortNumber: string;
}

/** Of a release before the numbers. */
const withNumber = (order: OrderDocument): OrderDocument =>
  order.shortNumber === undefined ? { ...order, shortNumber: deriveOrderNumber(order.id) } : order;

/** As each write leaves it: lists find its credit, and its goodwill is at most its total. */
const settleMoney = <O extends New<OrderDocument>>(order: O): O => {
  const settled = limitGoodwill(order);
  const hasCredit = computeCredit(settled) > 0;
  return settled.hasCredit === hasCredit ? settled : { ...settled, hasCredit };
};

/** Of release 0.3.0, or written by it since. */
const completeMoney = (order: OrderDocument): OrderDocument => {
  const completed = completeGoodwill(order);
  if (completed === order && order.hasCredit !== undefined) return order;
  // Others are left to the operator's check.
  const { lines, payments, refunds } = order;
  return [lines, payments, refunds].every((some) => isAmountList(some.map(({ amount }) => amount)))
    ? settleMoney(completed)
    : order;
};

/** By which payments asks whether pages are still wanted: one of a change that has ended is not. */
const createPageFacts = (before: Order, order: Order): DomainFact[] => {
  const isPending = (one: Order, id: string) => findChange(one, id)?.state === 'pending';
  const isOpen = order.payments.some(
    ({ provider, status, changeId: id }) =>
      provider !== undefined &&
      status === 'pending' &&
      id !== undefined &&
      isPending(before, id) &&
      !isPending(order, id),
  );
  return isOpen && order.state === 'confirmed' ? [createOrderConfirmedFact(order)] : [];
};

/** The only way to the orders, so that no write can forget it. */
export function keepMoney(orders: CollectionHandle<OrderDocument>): CollectionHandle<OrderDocument> {
  return wrapCollection(orders, {
    ...wrapInserts<OrderDocument>(settleMoney),
    update: (update) => async (id, fn, options) =>
      update(
        id,
        (current) => {
          const change = fn(current);
          if (!change) return undefined;
          const events = [...(change.events ?? []), ...createPageFacts(current, change.next)];
          return { ...change, next: settleMoney(change.next), events };
        },
        options,
      ),
  });
}

/** To a performance, other than its `performanceId`, of which the order has, had, or is about to have a place. */
interface LinkDocument extends Document {
  readonly orderId: string;
  readonly performanceId: string;
}

/** Of release 0.3.0: due work of which only the state tells. */
const markersOf03 = {
  sale_due: 'saleDue.since',
  removed_places: 'removedPlaces.since',
  shortening: 'shorteningDue',
  guest: 'guest.since',
  former_guests: 'formerGuests.since',
  names: 'namesDue',
} as const;

const indexes: readonly Index[] = [
  { name: 'listed', fields: ['listedAt'] },
  { name: 'state', fields: ['state', 'listedAt'] },
  { name: 'contact', fields: ['contactNumber', 'listedAt'] },
  { name: 'point_of_sale', fields: ['pointOfSale', 'listedAt'] },
  { name: 'created_by', fields: ['createdBy.clientId', 'listedAt'] },
  { name: 'reference', fields: ['externalReference', 'listedAt'] },
  { name: 'number', fields: ['shortNumber'], unique: true },
  { name: 'unnumbered', fields: ['shortNumber'], acrossInstitutions: true },
  { name: 'modified', fields: ['modifiedAt'] },
  { name: 'credit', fields: ['hasCredit', 'listedAt'] },
  { name: 'performance', fields: ['performanceId'] },
  { name: 'performance_listed', fields: ['performanceId', 'listedAt'] },
  { name: 'held', fields: ['client', 'heldPlaces'] },
  { name: 'deadline', fields: ['deadline'], acrossInstitutions: true },
  { name: 'abandoned', fields: ['abandonedAt'], acrossInstitutions: true },
  { name: 'settling', fields: ['cancellation.settledAt', 'cancellation.requestedAt'], acrossInstitutions: true },
  // For the completion of documents of release 0.3.0 alone.
  ...Object.entries(markersOf03).map(([name, field]) => ({ name, fields: [field], acrossInstitutions: true })),
  { name: 'credit_unknown', fields: ['hasCredit'], acrossInstitutions: true },
  { name: 'issued_by_fact', fields: ['ticketsByCall', 'confirmedAt'], acrossInstitutions: true },
];

/** Without a number, of unknown credit, or with work that is not stored as due. */
export const ORDERS_OF_0_3: readonly { readonly where: Where }[] = [
  { where: { shortNumber: null } },
  { where: { hasCredit: null } },
  { where: { ticketsByCall: null, confirmedAt: { gt: Date.now() - ISSUED_BY_0_3_MS } } },
  ...['deadline', ...Object.values(markersOf03)].map((field) => ({ where: { [field]: { gt: 0 } } })),
];

export const ordersCollection = collection<OrderDocument>('orders', indexes, {
  work: orderWork,
  upgrade: (order) => completeMoney(addWork(withNumber(order))),
});

const linksCollection = collection<LinkDocument>('performance_links', [
  { name: 'performance', fields: ['performanceId'] },
]);

/** By its id: an order of it that is written afterwards is cancelled at once. */
const cancelledCollection = collection<Document>('cancelled_performances');

export interface GuessesDocument extends Document {
  /** When somebody named unknown codes, each by an entry, oldest first; epoch milliseconds. */
  readonly guesses: readonly number[];
  readonly expiresAt: number;
}

/** By a hash of who has guessed. */
const guessesCollection = collection<GuessesDocument>('code_guesses', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

export const collections = [ordersCollection, linksCollection, cancelledCollection, guessesCollection];

export function openCollections(store: Store) {
  return {
    orders: store.collection(ordersCollection),
    links: store.collection(linksCollection),
    cancelledPerformances: store.collection(cancelledCollection),
    codeGuesses: store.collection(guessesCollection),
  };
}

/** Idempotent. Call before their places are held. */
export async function linkPerformances(
  links: Documents<LinkDocument>,
  order: { readonly id: string; readonly performanceId: string },
  performanceIds: readonly string[],
): Promise<void> {
  const others = [...new Set(performanceIds)].filter((performanceId) => performanceId !== order.performanceId);
  if (others.length === 0) return;
  await links.insertMany(
    others.map((performanceId) => ({ id: `${order.id}.${performanceId}`, orderId: order.id, performanceId })),
  );
}

/** At least as long as a session lasts (SESSION_ABSOLUTE_SECONDS at most), so that no session names a deleted cart. */
const CART_RETENTION_MS = 24 * 60 * 60_000;

export const retention: Retentions = {
  orders: {
    retained: 'for good; carts that were never bought a day after they ended (`CART_RETENTION_MS`)',
    ends: [{ field: 'abandonedAt', afterMs: CART_RETENTION_MS }],
    async along(store, document) {
      const { id, institution, performanceId, performanceIds } = document as OrderDocument;
      const links = store.collection(linksCollection).of(institution);
      const others = performanceIds.filter((other) => other !== performanceId);
      for (const other of others) await links.delete(`${id}.${other}`);
    },
  },
  performance_links: { retained: 'as long as their orders' },
  cancelled_performances: { retained: 'for good' },
  code_guesses: { retained: 'a quarter of an hour', ends: [{ field: 'expiresAt', afterMs: 0 }] },
};
