import { selectText } from '@boxoffice/http';
import { formatLocalTime, formatRepeatedOffset } from '@boxoffice/http/local-time';
import type { Static } from 'typebox';
import type { Offer, Performance } from '../clients/catalog.ts';
import type { Line, Order } from '../clients/orders.ts';
import type { Ticket } from '../clients/tickets.ts';
import type { OrderChange } from '../description/changes.ts';
import type * as schemas from '../description/schemas.ts';
import { findSoldPerformance, type Validity } from '../domain/offer.ts';
import type { PosContext } from '../request/context.ts';
import { mapById } from '../request/pagination.ts';
import { createNotFoundFault, requireSession, type Visit } from '../request/visit.ts';
import { isId } from '../store.ts';
import { findLinkedOrder } from './links.ts';
import { describeReturnPolicy, toWording } from './return-text.ts';

interface Reader {
  readonly visit: Visit;
  readonly isExperimental: boolean;
}
type TicketOf = (ticketId: string) => Ticket | undefined;

interface Current {
  readonly nameOf: (tariffId: string) => string;
  readonly performanceOf: (id: string) => CurrentPerformance | undefined;
}

type CurrentPerformance = Pick<Performance, 'startDate' | 'timeZone' | 'venue'> & { readonly validity: Validity };

/** The offer as last known, else ids and what was sold, if the catalog does not answer. */
export async function readCurrentOffer(
  { offers, bestEffortCatalog }: Pick<PosContext, 'offers' | 'bestEffortCatalog'>,
  { pointOfSale, languages }: Visit,
): Promise<Current> {
  const { institution } = pointOfSale;
  const offer: Offer = (await bestEffortCatalog(() => offers.published(institution))) ??
    offers.lastKnown(institution) ?? { tariffs: [], products: [] };
  const { tariffs, products } = offer;
  const wanted = [...languages, ...(offer.languages ?? [])];
  const names = new Map(tariffs.map(({ id, name }) => [id, selectText(name, wanted)]));
  return { nameOf: (id) => names.get(id) ?? id, performanceOf: (id) => findSoldPerformance(products, id) };
}

type About = Line['about'];

type Texts = Readonly<Record<string, string>>;

/** `isExpired` only under the experimental version; elsewhere that is an error. */
export interface ShownCart {
  readonly order: Order | undefined;
  readonly isExpired?: boolean;
}

export function toCartView(
  { order, isExpired = false }: ShownCart,
  current: Current,
  reader: Reader,
): Static<typeof schemas.Cart> {
  const { isExperimental, visit } = reader;
  const more = isExperimental ? { ...toChargedView(order ?? NOTHING, visit), expired: isExpired } : {};
  if (!order) return { id: null, items: {}, total: 0, currency: visit.pointOfSale.currency, expiresAt: null, ...more };
  const items = mapById(order.lines.map((line) => toItemView(line, current, reader)));
  const { id, total, currency } = order;
  return { id, items, total, currency, expiresAt: order.lines.length > 0 ? order.expiresAt : null, ...more };
}

const NOTHING = { fees: [], taxes: [], codes: [] } satisfies Pick<Order, 'fees' | 'taxes' | 'codes'>;

/** What the total is made of beside the items. */
const toChargedView = ({ fees, taxes, codes }: Pick<Order, 'fees' | 'taxes' | 'codes'>, { languages }: Visit) => ({
  fees: fees.map(({ name, ...fee }) => ({ ...fee, name: selectText(name, languages) })),
  taxes: [...taxes],
  codes: [...codes],
});

/** What the amount is made of, and for what it comes back. */
export function toComposedView(
  { base, components, taxes, returnPolicy }: Pick<Line, 'base' | 'components' | 'taxes' | 'returnPolicy'>,
  { languages }: Pick<Visit, 'languages'>,
) {
  return {
    base,
    components: components.map(({ name, ...part }) => ({ ...part, name: selectText(name, languages) })),
    taxes: [...taxes],
    returnPolicy,
  };
}

const toItemView = (line: Line, { nameOf, performanceOf }: Current, reader: Reader) => ({
  id: line.id,
  productId: line.productId,
  performanceId: line.performanceId,
  startDate: performanceOf(line.performanceId)?.startDate ?? line.startDate,
  seatCategoryId: line.seatCategoryId,
  tariffId: line.tariffId,
  tariff: nameOf(line.tariffId),
  place: line.place,
  amount: line.amount,
  beneficiaryFirstName: line.beneficiary?.firstName ?? null,
  beneficiaryLastName: line.beneficiary?.lastName ?? null,
  ...toSoldView(line, performanceOf(line.performanceId), reader),
});

/** The name of the tariff is as of the sale. */
const toSoldView = (line: Line, performance: CurrentPerformance | undefined, { visit, isExperimental }: Reader) => {
  if (!isExperimental) return {};
  const { tariff, ...sold } = translateSold(line.about, visit);
  const now = performance && {
    timeZone: performance.timeZone,
    venue: { name: performance.venue.name, city: performance.venue.city ?? null },
    ...performance.validity,
  };
  const shown = { ...sold, ...now };
  const local = toLocalTimes(performance?.startDate ?? line.startDate, shown, visit);
  const { timeZone } = shown;
  const returnText = describeReturnPolicy(line.returnPolicy, { ...toWording(visit), timeZone, now: Date.now() });
  return { ...toComposedView(line, visit), returnText, ...shown, ...local, ...(tariff === null ? {} : { tariff }) };
};

/** Null where an earlier release has not stored it. */
const translateSold = (about: About, { languages }: Pick<Visit, 'languages'>) => {
  const translate = (texts: Texts | undefined) => (texts === undefined ? null : selectText(texts, languages));
  return {
    productName: translate(about?.product),
    timeZone: about?.timeZone ?? null,
    venue: about ? { name: about.venue.name, city: about.venue.city } : null,
    seatCategory: translate(about?.seatCategory),
    tariff: translate(about?.tariff),
    productType: about?.productType ?? null,
    validUntil: about?.validUntil ?? null,
  };
};

/** Times are by the clocks of the venue; in UTC if that is not known. */
const toLocalTimes = (
  startDate: string | null,
  { timeZone, validUntil }: { readonly timeZone: string | null; readonly validUntil: string | null },
  { languages: [language = 'en'] }: Pick<Visit, 'languages'>,
) => ({
  localStartDate: startDate === null ? null : formatLocalTime(startDate, timeZone ?? 'UTC'),
  startOffset: startDate === null || timeZone === null ? null : formatRepeatedOffset(language, startDate, timeZone),
  localValidUntil: validUntil === null ? null : formatLocalTime(validUntil, timeZone ?? 'UTC'),
});

export function toOrderView(
  order: Order,
  current: Current,
  ticketOf: TicketOf,
  reader: Reader,
): Static<typeof schemas.Order> {
  const isConfirmed = order.state === 'confirmed';
  const items = order.lines.map((line) => {
    const ticketId = isConfirmed ? line.ticketId : null;
    const ticket = ticketId === null ? undefined : ticketOf(ticketId);
    const beneficiary = ticket ? ticket.beneficiary : line.beneficiary;
    return {
      ...toItemView({ ...line, beneficiary }, current, reader),
      ticketId,
      barcode: ticket?.barcode ?? null,
      ...(reader.isExperimental ? { replaces: line.replaces ?? null, ticketStatus: ticket?.status ?? null } : {}),
    };
  });
  return {
    id: order.id,
    state: order.state,
    total: order.total,
    currency: order.currency,
    contactNumber: order.contactNumber,
    paymentMethod: order.checkout?.paymentMethod ?? null,
    items: mapById(items),
    expiresAt: isConfirmed ? null : order.expiresAt,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    ...(reader.isExperimental
      ? { ...toChargedView(order, reader.visit), ...toOrderDetails(order, current, reader) }
      : {}),
  };
}

const toOrderDetails = (order: Order, current: Current, reader: Reader) => {
  const { number, createdAt, ticketDelivery, lines, formerLines, payment, paid, refunded, credit, change } = order;
  const zones = [...lines, ...formerLines].map(
    ({ performanceId, about }) => current.performanceOf(performanceId)?.timeZone ?? about?.timeZone,
  );
  const localCreatedAt = formatLocalTime(createdAt, zones.find(Boolean) ?? 'UTC');
  return {
    ...{ number, localCreatedAt, ticketDelivery, payment: payment && toPaymentView(payment), paid, refunded, credit },
    formerLines: formerLines.map((line) => {
      const { changeId, leftAt } = line;
      return { ...toItemView(line, current, reader), changeId, leftAt };
    }),
    change,
    changes: mapById(order.changes.map((one) => toChangeView(order, one))),
  };
};

export function toChangeView(
  { id: orderId }: Pick<Order, 'id'>,
  { left: _, payment, returns, exchanges, ...change }: Order['changes'][number],
): Static<typeof OrderChange> {
  const lines = { returns: [...returns], exchanges: [...exchanges] };
  return { ...change, ...lines, orderId, payment: payment && toPaymentView(payment) };
}

const toPaymentView = ({ method, state, url, expiresAt }: NonNullable<Order['payment']>) => ({
  method,
  state,
  url,
  expiresAt,
});

export async function loadTicketLookup(
  { tickets }: Pick<PosContext, 'tickets'>,
  institution: string,
  orders: readonly Order[],
): Promise<TicketOf> {
  const orderIds = orders.filter(({ state }) => state === 'confirmed').map(({ id }) => id);
  const found = orderIds.length > 0 ? await tickets.list(institution, { orderIds }) : [];
  const byId = new Map(found.map((ticket) => [ticket.id, ticket]));
  return (ticketId) => byId.get(ticketId);
}

/** Validity is as the catalog says it now; v1 does not show it. */
export function toTicketView(
  ticket: Ticket,
  { visit, isExperimental }: Reader,
  current?: Current,
): Static<typeof schemas.Ticket> {
  return {
    id: ticket.id,
    status: ticket.status,
    orderId: ticket.orderId,
    productId: ticket.productId,
    performanceId: ticket.performanceId,
    startDate: ticket.startDate,
    seatCategoryId: ticket.seatCategoryId,
    place: ticket.place,
    tariffId: ticket.tariffId,
    price: ticket.price,
    currency: ticket.currency,
    beneficiaryFirstName: ticket.beneficiary?.firstName ?? null,
    beneficiaryLastName: ticket.beneficiary?.lastName ?? null,
    barcode: ticket.barcode,
    ...(isExperimental ? toTicketDetails(ticket, visit, current) : {}),
  };
}

const toTicketDetails = ({ about, startDate, performanceId }: Ticket, visit: Visit, current: Current | undefined) => {
  const shown = { ...translateSold(about, visit), ...current?.performanceOf(performanceId)?.validity };
  return { ...shown, ...toLocalTimes(startDate, shown, visit) };
};

/**
 * Own is an order of the login's contact, bought by the login, or made in this session. @throws {PosFault} not_found
 * for a malformed or unknown id, a cart, and an order of somebody else
 */
export async function findOwnOrder(
  { orders, purchases }: Pick<PosContext, 'orders' | 'purchases'>,
  visit: Visit,
  orderId: string,
): Promise<Order> {
  const session = requireSession(visit);
  const order = isId(orderId) ? await orders.get(session.institution, orderId) : undefined;
  if (!order?.listed) throw createNotFoundFault();
  const { contactNumber, orderIds } = session;
  const isOwn = (contactNumber !== null && contactNumber === order.contactNumber) || orderIds.includes(orderId);
  if (!isOwn && !(await purchases.of(session)).includes(orderId)) throw createNotFoundFault();
  return order;
}

/** @throws {PosFault} not_found */
export async function findOwnOrLinkedOrder(
  context: PosContext,
  visit: Visit,
  id: string,
  token: string | undefined,
): Promise<Order> {
  if (token === undefined) return findOwnOrder(context, visit, id);
  const { order } = await findLinkedOrder(context, visit.pointOfSale, token);
  if (order.id !== id) throw createNotFoundFault();
  return order;
}
