import { hash, randomBytes } from 'node:crypto';
import { createLineSchema, emailSchema, named } from '@boxoffice/http';
import type { BestEffort } from '@boxoffice/service';
import type { IdempotencyRecord, Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import type { PointOfSale, Product } from '../clients/catalog.ts';
import type { Contacts } from '../clients/contacts.ts';
import type { Order, Orders } from '../clients/orders.ts';
import type { Ticket, Tickets } from '../clients/tickets.ts';
import { computeLinkEnd, findPerformance } from '../domain/offer.ts';
import { type Offers, readCurrentProducts } from '../products/offers.ts';
import { createNotFoundFault } from '../request/visit.ts';
import { type OrderLinkDocument, orderLinks } from '../store.ts';

/** The token stands in plain text only here. */
export interface NewOrderLink {
  /** The token is in its fragment, which browsers send to no server. */
  readonly url: string;
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

type LinkPlace = Pick<PointOfSale, 'institution' | 'serviceHost'>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A token is 256 random bits; the store contains only its hash. */
export function createOrderLinks(store: Pick<Store, 'collection'>, publicUrl: string) {
  const all = store.collection(orderLinks);
  const { origin } = new URL(publicUrl);

  return {
    /** `expiresAt` is in epoch milliseconds. @throws {IdempotencyKeyTaken} on a taken record */
    async add(
      { institution, serviceHost }: LinkPlace,
      { orderId, expiresAt }: Pick<OrderLinkDocument, 'orderId' | 'expiresAt'>,
      idempotencyRecord?: IdempotencyRecord<OrderLinkDocument>,
    ): Promise<NewOrderLink> {
      const token = randomBytes(32).toString('base64url');
      const link = { id: deriveLinkId(token), serviceHost, orderId, expiresAt, createdAt: new Date().toISOString() };
      await all.of(institution).insert(link, { idempotencyRecord });
      const url = `${origin}/shop/${serviceHost}/ticket-link#${token}`;
      return { url, token, expiresAt: new Date(expiresAt).toISOString() };
    },

    /** Finds also a link whose time is over. */
    async find({ institution, serviceHost }: LinkPlace, token: string): Promise<OrderLinkDocument | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const link = await all.of(institution).get(deriveLinkId(token));
      return link?.serviceHost === serviceHost ? link : undefined;
    },

    async renew({ institution, id }: OrderLinkDocument, expiresAt: number): Promise<void> {
      await all
        .of(institution)
        .update(id, (current) => (current.expiresAt === expiresAt ? undefined : { next: { ...current, expiresAt } }));
    },
  };
}

const deriveLinkId = (token: string): string => hash('sha256', `order link ${token}`, 'base64url');

export type OrderLinks = ReturnType<typeof createOrderLinks>;

export const LostLink = named(
  'LostOrderLink',
  Type.Object({
    email: { ...emailSchema, description: "the order's, in any spelling that contacts count as the same" },
    number: createLineSchema({ maxLength: 64, description: 'of the order, in either case' }),
  }),
);
export type LostLink = Static<typeof LostLink>;

export interface LostLinks {
  /**
   * Sends the link if both fit, but resolves before anything is looked up, so that neither the answer nor its time
   * tells whether they do. @throws {PosFault} too_many_requests
   */
  request(institution: string, ip: string, lost: LostLink): Promise<void>;
  /** Resolves once what was requested so far is looked up. */
  settled(): Promise<void>;
}

export async function deleteOrderLinks(store: Store, institution: string, orderId: string): Promise<void> {
  const found = store.collection(orderLinks).of(institution);
  for (const { id } of await found.find({ where: { orderId } })) await found.delete(id);
}

interface LinkContext {
  readonly orderLinks: OrderLinks;
  readonly orders: Pick<Orders, 'get'>;
  readonly offers: Offers;
  readonly tickets: Pick<Tickets, 'list'>;
  readonly contacts: Pick<Contacts, 'known'>;
  readonly bestEffortTickets: BestEffort;
  readonly bestEffortContacts: BestEffort;
  readonly now: () => number;
}

/** In the order of its lines, not those of former ones; none before its confirmation and after its cancellation. */
export async function listOrderTickets(
  { tickets }: Pick<LinkContext, 'tickets'>,
  institution: string,
  { id, state, lines }: Order,
): Promise<readonly Ticket[]> {
  if (state !== 'confirmed') return [];
  const found = await tickets.list(institution, { orderIds: [id] });
  const present = new Set(lines.map((line) => line.id));
  const positions = new Map(lines.map(({ ticketId }, index) => [ticketId, index]));
  const at = ({ id }: Ticket): number => positions.get(id) ?? lines.length;
  return found.filter(({ lineId }) => present.has(lineId)).toSorted((one, other) => at(one) - at(other));
}

type EndContext = Pick<LinkContext, 'offers' | 'tickets' | 'bestEffortTickets'>;

export async function isPast(
  context: EndContext & Pick<LinkContext, 'now'>,
  institution: string,
  order: Order,
): Promise<boolean> {
  return (await computeNewEnd(context, institution, order)) <= context.now();
}

/** Works also while catalog and tickets do not answer. */
const computeNewEnd = async (context: EndContext, institution: string, order: Order): Promise<number> => {
  const tickets = (await context.bestEffortTickets(() => listOrderTickets(context, institution, order))) ?? [];
  return computeEnd(order, tickets, await readCurrentProducts(context, institution));
};

/** Computed from the dates of the performances now. Epoch milliseconds. */
const computeEnd = (
  { lines, createdAt }: Order,
  tickets: readonly Ticket[],
  products: readonly Product[],
  known?: number,
): number => {
  // Tickets know of moves of performances whose product is published no more.
  const starts = new Map(tickets.map(({ performanceId, startDate }) => [performanceId, startDate]));
  const sold = lines.map(({ performanceId, startDate }) => ({
    current: findPerformance(products, performanceId),
    startDate: starts.get(performanceId) ?? startDate,
  }));
  return computeLinkEnd(sold, Date.parse(createdAt), known);
};

/** Works also while catalog and tickets do not answer. @throws {IdempotencyKeyTaken} if the record is taken */
export async function createOrderLink(
  context: EndContext & Pick<LinkContext, 'orderLinks'>,
  place: LinkPlace,
  order: Order,
  record?: IdempotencyRecord<OrderLinkDocument>,
): Promise<NewOrderLink> {
  const expiresAt = await computeNewEnd(context, place.institution, order);
  return context.orderLinks.add(place, { orderId: order.id, expiresAt }, record);
}

interface LinkedOrder {
  readonly order: Order;
  readonly tickets: readonly Ticket[];
}

/** False while contacts does not answer, since an erasure deletes the links. */
export async function isErased(
  { contacts, bestEffortContacts }: Pick<LinkContext, 'contacts' | 'bestEffortContacts'>,
  institution: string,
  { contactNumber }: Order,
): Promise<boolean> {
  if (contactNumber === null) return false;
  const contact = await bestEffortContacts(() => contacts.known(institution, contactNumber));
  return contact !== undefined && contact.erasedAt !== null;
}

/**
 * @throws {PosFault} not_found for a token that is absent, malformed, unknown, of another point of sale or past its
 * end, and after an erasure
 */
export async function findLinkedOrder(
  context: LinkContext,
  place: LinkPlace,
  token: string | undefined,
): Promise<LinkedOrder> {
  const { institution } = place;
  const link = await context.orderLinks.find(place, token ?? '');
  const order = link && (await context.orders.get(institution, link.orderId));
  if (!link || !order?.listed || (await isErased(context, institution, order))) throw createNotFoundFault();
  const [tickets, products] = await Promise.all([
    listOrderTickets(context, institution, order),
    readCurrentProducts(context, institution),
  ]);
  if (computeEnd(order, tickets, products, link.expiresAt) <= context.now()) throw createNotFoundFault();
  return { order, tickets };
}

/**
 * Called before a link is deleted as expired, since its performances may have moved. Rejects while another service does
 * not answer.
 */
export async function renewOrderLink(context: LinkContext, link: OrderLinkDocument): Promise<void> {
  const { institution, orderId, expiresAt } = link;
  const order = await context.orders.get(institution, orderId);
  if (!order?.listed) return;
  const tickets = await listOrderTickets(context, institution, order);
  const { products } = await context.offers.publishedNow(institution);
  await context.orderLinks.renew(link, computeEnd(order, tickets, products, expiresAt));
}
