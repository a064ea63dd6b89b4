import type { OrderView, TicketView } from '../src/client/api.ts';
import type { EventView } from '../src/client/feed.ts';
import type { Evidence } from '../src/invariants/verdict.ts';
import type { Checkout, CheckoutAnswer, Entry } from '../src/round/journal.ts';

// A consistent round: two places sold, one held, one released by a cancellation, one retained by a controlled ticket of
// a cancelled order, one free. Two visitors bought carts: one succeeded, the other's was reported as cancelled.

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer One)[] ? Mutable<One>[] : T[Key] };

/** Evidence that a test spoils. */
export interface Spoilable {
  readonly entries: Mutable<Entry>[];
  readonly checkouts: Mutable<Checkout>[];
  readonly orders: Mutable<OrderView>[];
  readonly tickets: Mutable<TicketView>[];
  /** What a partner received, and the ids that its webhook got. */
  readonly events: Mutable<EventView>[];
  readonly delivered: string[];
}

const instant = '2027-01-01T00:00:00.000Z';

/** Evidence without violations. */
export function createConsistentEvidence(): Spoilable {
  const orders = [
    order('ord_sold', 'confirmed', ['p1', 'p2'], { confirmedAt: instant, paid: 200 }),
    order('ord_held', 'open', ['p3'], { contactNumber: 'C1' }),
    order('ord_back', 'cancelled', ['p4'], { confirmedAt: instant, cancellation: { settledAt: instant } }),
    order('ord_kept', 'cancelled', ['p5', 'p6'], { confirmedAt: instant, cancellation: { settledAt: instant } }),
  ];
  const visited = [
    order('ord_shop', 'confirmed', ['p7'], { confirmedAt: instant, externalReference: null }),
    order('ord_lost', 'cancelled', ['p8'], { cancellation: { settledAt: instant }, externalReference: null }),
  ];
  const tickets = [
    ticket('p1', 'ord_sold', 'printed'),
    ticket('p2', 'ord_sold', 'not_printed'),
    { ...ticket('p2', 'ord_sold', 'invalidated'), id: 'tic_lost' },
    ticket('p4', 'ord_back', 'cancelled'),
    ticket('p5', 'ord_kept', 'controlled'),
    ticket('p6', 'ord_kept', 'cancelled'),
    ticket('p7', 'ord_shop', 'not_printed'),
  ];
  const events = eventsOf([...orders, ...visited], tickets);
  const creations = orders.map((one) => entry('create', null, { key: `round/${one.id}`, answer: one }));
  return {
    orders: [...orders, ...visited],
    checkouts: [
      {
        cartId: 'ord_shop',
        key: 'a',
        answers: [answer(500), answer(201, { orderId: 'ord_shop', state: 'confirmed' })],
        sightings: [],
        inSession: true,
      },
      {
        cartId: 'ord_lost',
        key: 'b',
        answers: [answer(500, { orderCancelled: true }), answer(400, { code: 'cart_empty' })],
        sightings: ['cancelled'],
        inSession: true,
      },
    ],
    entries: [
      ...creations,
      entry('pay', 'ord_sold', { amount: 200 }),
      entry('confirm', 'ord_back'),
      entry('cancel', 'ord_back'),
      entry('confirm', 'ord_kept'),
      entry('control', 'tic_p5'),
      entry('cancel', 'ord_kept'),
      entry('print', 'tic_p1'),
      entry('remove', 'ord_held', { detail: 'lin_removed' }),
      entry('change', 'ord_held', { detail: 'C1' }),
      entry('replace', 'tic_lost'),
    ],
    tickets,
    events,
    delivered: events.map(({ id }) => id),
  };
}

const order = (
  id: string,
  state: OrderView['state'],
  places: readonly string[],
  more: Partial<Omit<OrderView, 'lines' | 'formerLines' | 'fees'>> = {},
): Mutable<OrderView> => ({
  id,
  state,
  externalReference: `round/${id}`,
  contactNumber: null,
  lines: places.map((place) => line(place, more.confirmedAt != null)),
  formerLines: [],
  change: null,
  fees: [],
  total: 100 * places.length,
  paid: 0,
  refunded: 0,
  due: 0,
  credit: 0,
  expiresAt: null,
  confirmedAt: null,
  cancellation: null,
  ...more,
});

const line = (place: string, confirmed: boolean) => ({
  id: `lin_${place}`,
  performanceId: 'prf_1',
  ticketId: confirmed ? `tic_${place}` : null,
  tariffId: 'trf_1',
  seatCategoryId: 'cat_1',
  place: { id: place },
  amount: 1_000,
  components: [],
});

const ticket = (place: string, orderId: string, status: TicketView['status']): Mutable<TicketView> => ({
  id: `tic_${place}`,
  performanceId: 'prf_1',
  place: { id: place },
  status,
  orderId,
  controlledAt: status === 'controlled' ? instant : null,
});

const eventsOf = (orders: readonly OrderView[], tickets: readonly TicketView[]): Mutable<EventView>[] => {
  const ended = { not_printed: [], printed: ['printed'], controlled: ['printed', 'controlled'] };
  return [
    ...orders.flatMap(({ id, state, confirmedAt, cancellation }) => {
      const steps = [...(confirmedAt ? ['confirmed'] : []), ...(cancellation ? ['cancelled', 'settled'] : [])];
      return about(
        id,
        { state },
        ['created', ...steps].map((step) => `order.${step}`),
      );
    }),
    ...tickets.flatMap(({ id, status }) => {
      const steps: readonly string[] =
        status === 'invalidated' ? ['replaced'] : status === 'cancelled' ? ['cancelled'] : ended[status];
      return about(
        id,
        { status },
        ['issued', ...steps].map((step) => `ticket.${step}`),
      );
    }),
  ];
};

/** The events of a document, from the first to the last type, which says its present state. */
const about = (id: string, present: EventView['data'], types: readonly string[]): EventView[] =>
  types.map((type, index) => ({
    id: `evt_${id}_${index}`,
    type,
    resource: { id, version: 1 + index },
    data: index === types.length - 1 ? present : {},
  }));

const entry = (
  action: Entry['action'],
  subject: string | null,
  more: Partial<Omit<Entry, 'story'>> = {},
): Mutable<Entry> => ({
  action,
  key: `round/${action} ${subject}`,
  subject,
  outcome: 'ok',
  status: 200,
  code: 'success',
  unknownTries: 0,
  story: [],
  answer: null,
  tookMs: 5,
  ...more,
});

const answer = (status: number, more: Partial<CheckoutAnswer> = {}): Mutable<CheckoutAnswer> => ({
  status,
  code: null,
  orderId: null,
  state: null,
  orderCancelled: status === 500 ? false : null,
  userLoggedOut: status === 500 ? false : null,
  ...more,
});

/** The same evidence in the form of the checks. */
export function toEvidence({ entries, checkouts, events, delivered, ...observed }: Spoilable): Evidence {
  return {
    entries,
    checkouts,
    observed,
    received: { events, delivered: { received: new Set(delivered), covers: () => true } },
  };
}
