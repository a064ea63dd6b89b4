/** A request that a process of the product sends or answers, as node:diagnostics_channel reports it. */
export interface RequestMoment {
  readonly on:
    | 'http.client.request.start'
    | 'http.client.response.finish'
    | 'http.server.request.start'
    | 'http.server.response.finish';
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: RegExp;
}

/** A fact that reaches a service, as libs/service reports it on the channel `boxoffice:fact`. */
export interface FactPoint {
  readonly queue: string;
  readonly type: string;
  readonly phase: 'received' | 'handled';
}

/** A program of the scaled deployment. */
export type ServiceName = 'authorizer' | 'catalog' | 'contacts' | 'orders' | 'tickets' | 'pos' | 'gateway';

/** A moment at which a process of a service kills itself. */
export interface CrashPoint {
  readonly service: ServiceName;
  /**
   * The transaction whose step it is: a purchase, its cancellation, the end of a whole performance, a visitor's
   * checkout (which also has the steps of a purchase), or the cancellation of a checkout after an error.
   */
  readonly step: 'purchase' | 'cancellation' | 'closing' | 'checkout' | 'rescue';
  readonly moment: RequestMoment | FactPoint;
}

const holds = /^\/internal\/stock\/holds$/;
const sale = /^\/internal\/stock\/holds\/[^/]+\/sale$/;
const issue = /^\/internal\/tickets\/issue$/;
const controlled = /^\/internal\/orders\/[^/]+\/tickets$/;
const orders = /^\/svc\/v3\/orders$/;
const confirmation = /^\/svc\/v3\/orders\/[^/]+\/confirmation$/;
const cancellation = /^\/svc\/v3\/orders\/[^/]+\/cancellation$/;
const purchase = /^\/tnwr\/v1\/orders$/;
const guest = /^\/internal\/shop\/contacts\/[^/]+$/;
const checkout = /^\/internal\/shop\/orders\/[^/]+\/checkout$/;
const criteria = /^\/internal\/contacts\/[^/]+$/;
const rescue = /^\/internal\/shop\/orders\/[^/]+\/fault-cancellation$/;

type Edge = 'asks' | 'has the answer' | 'is asked' | 'has answered';
const channels: Readonly<Record<Edge, RequestMoment['on']>> = {
  asks: 'http.client.request.start',
  'has the answer': 'http.client.response.finish',
  'is asked': 'http.server.request.start',
  'has answered': 'http.server.response.finish',
};

const request = (
  service: CrashPoint['service'],
  step: CrashPoint['step'],
  edge: Edge,
  path: RegExp,
  method: RequestMoment['method'] = 'POST',
): CrashPoint => ({ service, step, moment: { on: channels[edge], method, path } });

const fact = (
  service: CrashPoint['service'],
  step: CrashPoint['step'],
  queue: string,
  type: string,
  phase: FactPoint['phase'],
): CrashPoint => ({ service, step, moment: { queue, type, phase } });

const fulfilment = 'orders.fulfilment.v1';
const releases = 'catalog.releases.v1';
const closings = 'orders.performance-cancelled.v1';
const ofTickets = 'tickets.orders.v1';

/** Every named step of a purchase, of a checkout and of a cancellation at which a process can be killed. */
export const crashPoints = {
  'orders-before-hold': request('orders', 'purchase', 'asks', holds),
  'catalog-hold-received': request('catalog', 'purchase', 'is asked', holds),
  'catalog-hold-answered': request('catalog', 'purchase', 'has answered', holds),
  'orders-after-hold': request('orders', 'purchase', 'has the answer', holds),
  'orders-creation-answered': request('orders', 'purchase', 'has answered', orders),
  'orders-before-sale': request('orders', 'purchase', 'asks', sale),
  'catalog-sale-answered': request('catalog', 'purchase', 'has answered', sale),
  'orders-after-sale': request('orders', 'purchase', 'has the answer', sale),
  'orders-before-issue': request('orders', 'purchase', 'asks', issue),
  'tickets-issue-received': request('tickets', 'purchase', 'is asked', issue),
  'orders-after-issue': request('orders', 'purchase', 'has the answer', issue),
  'orders-confirmation-answered': request('orders', 'purchase', 'has answered', confirmation),
  'tickets-confirmed-received': fact('tickets', 'purchase', ofTickets, 'order.confirmed', 'received'),
  'tickets-confirmed-handled': fact('tickets', 'purchase', ofTickets, 'order.confirmed', 'handled'),
  'orders-before-control-check': request('orders', 'cancellation', 'asks', controlled, 'GET'),
  'orders-cancellation-answered': request('orders', 'cancellation', 'has answered', cancellation),
  'orders-performance-received': fact('orders', 'closing', closings, 'performance.cancelled', 'received'),
  'tickets-cancelled-received': fact('tickets', 'cancellation', ofTickets, 'order.cancelled', 'received'),
  'tickets-cancelled-handled': fact('tickets', 'cancellation', ofTickets, 'order.cancelled', 'handled'),
  'catalog-cancelled-received': fact('catalog', 'cancellation', releases, 'order.cancelled', 'received'),
  'catalog-release-received': fact('catalog', 'cancellation', releases, 'tickets.cancelled', 'received'),
  'catalog-release-handled': fact('catalog', 'cancellation', releases, 'tickets.cancelled', 'handled'),
  'orders-tickets-received': fact('orders', 'cancellation', fulfilment, 'tickets.cancelled', 'received'),
  'orders-tickets-handled': fact('orders', 'cancellation', fulfilment, 'tickets.cancelled', 'handled'),
  'orders-released-received': fact('orders', 'cancellation', fulfilment, 'places.released', 'received'),
  'orders-released-handled': fact('orders', 'cancellation', fulfilment, 'places.released', 'handled'),
  'pos-checkout-received': request('pos', 'checkout', 'is asked', purchase),
  'pos-before-checkout': request('pos', 'checkout', 'asks', checkout),
  'orders-checkout-received': request('orders', 'checkout', 'is asked', checkout),
  // The checkout's first write comes after this, and before orders-before-sale.
  'orders-after-criteria': request('orders', 'checkout', 'has the answer', criteria, 'GET'),
  'orders-before-guest': request('orders', 'checkout', 'asks', guest, 'PUT'),
  'contacts-guest-answered': request('contacts', 'checkout', 'has answered', guest, 'PUT'),
  'orders-after-guest': request('orders', 'checkout', 'has the answer', guest, 'PUT'),
  'orders-checkout-answered': request('orders', 'checkout', 'has answered', checkout),
  'pos-after-checkout': request('pos', 'checkout', 'has the answer', checkout),
  'pos-checkout-answered': request('pos', 'checkout', 'has answered', purchase),
  'gateway-checkout-received': request('gateway', 'checkout', 'is asked', purchase),
  'pos-before-rescue': request('pos', 'rescue', 'asks', rescue),
  'orders-rescue-received': request('orders', 'rescue', 'is asked', rescue),
  'orders-rescue-answered': request('orders', 'rescue', 'has answered', rescue),
  'pos-after-rescue': request('pos', 'rescue', 'has the answer', rescue),
} as const satisfies Record<string, CrashPoint>;

export type CrashPointName = keyof typeof crashPoints;

const namesOf = (...steps: CrashPoint['step'][]): CrashPointName[] =>
  (Object.keys(crashPoints) as CrashPointName[]).filter((name) => steps.includes(crashPoints[name].step));

/** The points that ordinary purchases and cancellations reach, in the order of the steps. */
export const crashPointNames = namesOf('purchase', 'cancellation');

/** The points that a checkout reaches: its own steps, and those of the sale that it starts. */
export const checkoutPointNames: readonly CrashPointName[] = [
  ...namesOf('checkout'),
  'orders-before-sale',
  'catalog-sale-answered',
  'orders-after-sale',
  'orders-before-issue',
  'tickets-issue-received',
  'orders-after-issue',
];

/** The points that a checkout reaches only after an error. */
export const rescuePointNames = namesOf('rescue');
