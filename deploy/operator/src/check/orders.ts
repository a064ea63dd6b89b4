import type { PlaceDocument } from '@boxoffice/catalog';
import type { ContactDocument } from '@boxoffice/contacts';
import {
  computeCountedGoodwill,
  computeCredit,
  computeLost,
  computePaid,
  computeTotal,
  listStock,
  type OrderDocument,
  unpaidStates,
} from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import { isBarred, listChangeRules, listRetainedTickets } from './changes.ts';
import { type Case, createCase, type Finding, findBrokenRules, type Rule } from './findings.ts';
import { findUnknownRecords, readProviderRecords } from './payments.ts';
import { judgePrices, judgeUses, readCodes } from './prices.ts';
import { type CheckedCollections, findById, findByOwner, findReferencedDocuments } from './reading.ts';
import { CLOCKS_MS, isUnderWay } from './stock.ts';
import { isIssuing, isLive } from './tickets.ts';

interface OrderEvidence {
  readonly order: OrderDocument;
  /** The places and uses that its lines name, or its controlled tickets, by id. */
  readonly places: ReadonlyMap<string, PlaceDocument>;
  readonly rivals: ReadonlyMap<string, OrderDocument>;
  readonly tickets: readonly TicketDocument[];
}

const ended: readonly string[] = ['confirmed', 'expired', 'cancelled'];

export async function judgeOrders(collections: CheckedCollections, found: readonly OrderDocument[]): Promise<Case[]> {
  const withTickets = found.filter(({ state }) => state === 'confirmed' || state === 'cancelled');
  const tickets = await findByOwner(collections.tickets, 'orderId', withTickets);
  const placesOf = (order: OrderDocument): string[] =>
    order.state === 'expired'
      ? []
      : [
          ...(order.state === 'cancelled' ? [] : listStock(order.lines)),
          ...listRetainedTickets(order, tickets.get(order.id) ?? []).map(({ place }) => place.id),
        ];
  const places = await findById(collections.places, found.flatMap(placesOf));
  const own = new Map(found.map((order) => [order.id, order]));
  const strangers = found.flatMap((order) => {
    const holders = placesOf(order).map((id) => places.get(id)?.holder);
    return holders.filter((holder) => holder !== order.id && !own.has(holder ?? ''));
  });
  const rivals = new Map([...own, ...(await findById(collections.orders, strangers))]);
  const contacts = await findReferencedDocuments(collections.contacts, found, 'contactNumber');
  const records = await readProviderRecords(collections, found);
  const codes = await readCodes(collections, found);
  const now = Date.now();
  return found.map((order) => {
    const evidence = { order, places, rivals, tickets: tickets.get(order.id) ?? [] };
    const findings = [
      ...judgeOrder(evidence, now),
      ...(hasPlaces(order, now) ? judgeUses(order, places, codes) : []),
      ...judgePrices(order),
      ...contactFaults(order, contacts),
      ...findUnknownRecords(order, records),
    ];
    const had = placesOf(order).flatMap((id) => places.get(id) ?? []);
    const others = had.flatMap(({ holder }) => (holder === order.id ? [] : (rivals.get(holder ?? '') ?? [])));
    const concerns = [...others.map(({ id }) => id), ...order.performanceIds, order.contactNumber ?? ''];
    return createCase('order', order, findings, [...had, ...others, ...evidence.tickets], concerns);
  });
}

const judgeOrder = (evidence: OrderEvidence, now: number): Finding[] => [
  ...linePlaces(evidence, now),
  ...lineTickets(evidence),
  ...retainedPlaces(evidence),
  ...cancellationFaults(evidence),
  ...stateFaults(evidence),
  ...moneyFaults(evidence, now),
];

const linePlaces = ({ order, places, rivals }: OrderEvidence, now: number): Finding[] => {
  if (!hasPlaces(order, now)) return [];
  const wanted = order.state === 'confirmed' ? 'sold' : 'held';
  const seen = new Set<string>();
  const judge = (lineId: string, id: string): Finding[] => {
    const toFindings = (offenders: readonly string[], text: string): Finding[] => [
      { invariant: 'line_place', offenders, text, underWay: isUnderWay(order) },
    ];
    if (seen.has(id)) return toFindings([order.id, id], `two lines of ${order.id} have the place ${id}`);
    seen.add(id);
    const place = places.get(id);
    if (!place)
      return toFindings([order.id, id], `line ${lineId} of ${order.id} has the place ${id}, which does not exist`);
    // Sold and not confirmed: the process died in between, and the request's repeat or the order's end puts it right.
    if (place.holder === order.id && (place.state === wanted || place.state === 'sold')) return [];
    // The holder may be this order itself: a place freed or held instead of sold is wrong, but has no rival.
    const rival = place.holder === order.id ? undefined : rivals.get(place.holder ?? '');
    if (rival && hasPlaces(rival, now) && listStock(rival.lines).includes(id)) {
      return toFindings([id, order.id, rival.id], `place ${id} is in two live orders: ${order.id} and ${rival.id}`);
    }
    const whose = place.holder === order.id ? '' : ` of ${place.holder ?? 'no order'}`;
    return toFindings(
      [order.id, id],
      `line ${lineId} of ${order.id} (${order.state}): its place ${id} is ${place.state}${whose}`,
    );
  };
  return order.lines.flatMap((line) => listStock([line]).flatMap((id) => judge(line.id, id)));
};

/** Whether the order is entitled to its places now: it is confirmed, or its hold runs. */
const hasPlaces = ({ state, deadline }: OrderDocument, now: number): boolean =>
  state === 'confirmed' || (unpaidStates.includes(state) && deadline !== null && deadline > now + CLOCKS_MS);

const lineTickets = ({ order, tickets }: OrderEvidence): Finding[] => {
  if (order.state !== 'confirmed') return [];
  const there = new Set(tickets.map(({ id }) => id));
  return order.lines.flatMap((line): Finding[] => {
    const own = tickets.filter(({ lineId }) => lineId === line.id);
    const live = own.filter(isLive);
    // A replacement is written in two steps; any later request or sweep completes a pending one.
    const isReplacing = own.some(({ replacedBy }) => replacedBy !== null && !there.has(replacedBy));
    const underWay = isReplacing || isIssuing(order);
    const toFindings = (text: string): Finding[] => [
      { invariant: 'line_ticket', offenders: [order.id, line.id, ...live.map(({ id }) => id)], text, underWay },
    ];
    const [ticket] = live;
    if (own.length > 0 && live.length === 0 && isBarred(order, line, tickets)) return [];
    if (!ticket || live.length > 1) return toFindings(`line ${line.id} of ${order.id} has ${live.length} live tickets`);
    if (ticket.id !== line.ticketId)
      return toFindings(`line ${line.id} of ${order.id} names ${line.ticketId}, its ticket is ${ticket.id}`);
    if (ticket.place.id === line.place.id && ticket.performanceId === line.performanceId) return [];
    return toFindings(`ticket ${ticket.id} is for ${ticket.place.id}, its line of ${order.id} for ${line.place.id}`);
  });
};

const cancellationFaults = (evidence: OrderEvidence): Finding[] => {
  const { order, tickets } = evidence;
  const { id, state, cancellation, lines } = order;
  if (state !== 'cancelled' || cancellation === null) return [];
  const valid = tickets.filter(({ status }) => status === 'not_printed' || status === 'printed');
  const open = valid.map((ticket): Finding => {
    const text = `${id} is cancelled, its ticket ${ticket.id} is ${ticket.status}`;
    return { invariant: 'cancelled_ticket', offenders: [id, ticket.id], text };
  });
  const { settledAt, hadTickets, ticketsCancelled, controlled, placesReleased } = cancellation;
  if (settledAt === null) {
    const text = `${id} is cancelled and not settled: tickets and catalog have not both reported what they released`;
    return [...open, { invariant: 'cancellation', offenders: [id], text, underWay: true }];
  }
  const controlledTickets = tickets.filter(({ status }) => status === 'controlled').length;
  // More places are released than lines had where a change of lines died with its process.
  const ended = lines.length - controlledTickets;
  // Tickets of former lines may be cancelled with the order, and two of an exchange may have one place.
  const asMany =
    !hadTickets ||
    (order.formerLines && (ticketsCancelled ?? 0) >= ended) ||
    (ticketsCancelled === ended && (placesReleased ?? 0) >= (ticketsCancelled ?? 0));
  if (controlled === controlledTickets && asMany && placesReleased !== null) return open;
  const text = `${id} was cancelled with ${lines.length} lines, ${controlledTickets} controlled, and is settled with ${ticketsCancelled} tickets cancelled, ${controlled} controlled, ${placesReleased} places released`;
  return [...open, { invariant: 'cancellation', offenders: [id], text }];
};

/** The ticket was used before the order was cancelled, or its line had left: its place stays sold. */
const retainedPlaces = ({ order, places, tickets }: OrderEvidence): Finding[] =>
  listRetainedTickets(order, tickets).flatMap(({ place: { id } }): Finding[] => {
    const place = places.get(id);
    if (place?.state === 'sold' && place.holder === order.id) return [];
    const text = `a controlled ticket of ${order.id}, whose line is gone, keeps ${id}, which is ${place?.state ?? 'missing'}`;
    return [{ invariant: 'place_owner', offenders: [id, order.id], text }];
  });

const stateFaults = ({ order }: OrderEvidence): Finding[] => {
  const { id, state, lines, heldPlaces, confirmedAt, cancellation, deadline, unseen } = order;
  const waits = order.changes?.some((change) => change.state === 'pending') === true;
  const rules: readonly Rule[] = [
    [state !== 'confirmed' || confirmedAt !== null, 'has no time of confirmation'],
    [(state === 'cancelled') === (cancellation !== null), cancellation ? 'has a cancellation' : 'has no cancellation'],
    [
      !ended.includes(state) || ((heldPlaces === 0 || waits) && deadline === null),
      `holds ${heldPlaces} places until ${deadline}`,
    ],
    [
      !unpaidStates.includes(state) || heldPlaces === (unseen ? 0 : lines.length),
      `has ${lines.length} lines and holds ${heldPlaces} places`,
    ],
    [!unpaidStates.includes(state) || deadline !== null, 'has no deadline'],
  ];
  return findBrokenRules('order_state', id, `${id} is ${state} and`, rules);
};

const moneyFaults = ({ order }: OrderEvidence, now: number): Finding[] => {
  const { id, state, payments, refunds, currency, saleDue, expiresAt } = order;
  const whole = [...payments, ...refunds].every(({ amount }) => Number.isSafeInteger(amount) && amount > 0);
  const pending = payments.some(({ status }) => status === 'pending');
  const back = refunds.filter(({ status }) => status !== 'failed').reduce((sum, { amount }) => sum + amount, 0);
  const waits = state === 'payment_pending' && saleDue == null && (expiresAt ?? 0) > now + CLOCKS_MS;
  const rules: readonly Rule[] = [
    [whole, 'has an amount that is no whole number above 0'],
    [[...payments, ...refunds].every((one) => one.currency === currency), `has money that is not ${currency}`],
    [!whole || back <= computePaid(order), whole ? `has ${computePaid(order)} paid and ${back} refunded` : ''],
    ...(whole ? payments.map((payment): Rule => refundRule(order, payment)) : []),
    ...(whole ? figureRules(order) : []),
    ...listChangeRules(order, now),
    [!waits || pending, 'waits for a payment, and none is pending'],
    [!pending || (state !== 'open' && state !== 'reserved'), `is ${state} with a pending payment`],
  ];
  return findBrokenRules('payments', id, id, rules);
};

/** No more goes back of a payment than it brought; what its disputes have taken counts, at most what is left. */
const refundRule = (
  { refunds }: OrderDocument,
  { id, status, amount, disputed }: OrderDocument['payments'][number],
): Rule => {
  const own = refunds.filter((refund) => refund.paymentId === id && refund.status !== 'failed');
  const back = own.reduce((sum, refund) => sum + refund.amount, 0);
  const captured = status === 'captured' ? amount : 0;
  const counted = disputed?.refunded ?? 0;
  const lost = disputed ? Math.min(computeLost(disputed), Math.max(0, captured - back)) : 0;
  const text = `has ${back} refunded and ${counted} counted as lost of its payment ${id} of ${captured}`;
  return [back <= captured && counted === lost, text];
};

/** What is stored of the figures that follow from payments, refunds and lines. */
const figureRules = (order: OrderDocument): readonly Rule[] => {
  const { refunds, goodwill = 0, goodwillLost = 0, hasCredit } = order;
  const [counted, total, credit] = [computeCountedGoodwill(order), computeTotal(order), computeCredit(order)];
  const isPart = refunds.every(
    ({ status, amount, goodwill: part = 0 }) => part >= 0 && part <= (status === 'failed' ? 0 : amount),
  );
  return [
    [isPart, 'has a refund with more goodwill than it gave back'],
    [
      goodwill >= 0 && goodwill <= counted && goodwill >= counted - goodwillLost,
      `has ${goodwill} of goodwill, its refunds and disputes count for ${counted}, of which changes took ${goodwillLost}`,
    ],
    [goodwill <= total, `has ${goodwill} of goodwill and a total of ${total}`],
    [hasCredit === credit > 0, `has a credit of ${credit} and is ${hasCredit ? '' : 'not '}listed as having some`],
  ];
};

const contactFaults = (order: OrderDocument, contacts: ReadonlyMap<string, ContactDocument>): Finding[] => {
  const { id, contactNumber, institution, guest } = order;
  // A guest's contact is created after the checkout; until then the order stores the contact's data.
  if (guest || contactNumber === null || contacts.get(contactNumber)?.institution === institution) return [];
  const text = `${id} is of the contact ${contactNumber}, which does not exist`;
  return [{ invariant: 'contact', offenders: [id, contactNumber], text }];
};
