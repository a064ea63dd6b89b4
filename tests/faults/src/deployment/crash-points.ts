/** A request that a process of the product sends or answers, as node:diagnostics_channel reports it. */
export interface RequestMoment {
  readonly on:
    | 'http.client.request.start'
    | 'http.client.response.finish'
    | 'http.server.request.start'
    | 'http.server.response.finish';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: RegExp;
}

/** A fact that reaches a service, as libs/service reports it on the channel `boxoffice:fact`. */
export interface FactPoint {
  readonly queue: string;
  readonly type: string;
  readonly phase: 'received' | 'handled';
}

/** A program of the scaled deployment. */
export type ServiceName = 'authorizer' | 'catalog' | 'contacts' | 'orders' | 'tickets' | 'events' | 'pos' | 'gateway';

/** A moment at which a process of a service kills itself. */
export interface CrashPoint {
  readonly service: ServiceName;
  /**
   * The transaction whose step it is: a purchase, its cancellation, the end of a whole performance, a visitor's
   * checkout (which also has the steps of a purchase), the cancellation of a checkout after an error, access (signing
   * in, keys, usage), or any further command and its reactions.
   */
  readonly step: 'purchase' | 'cancellation' | 'closing' | 'checkout' | 'rescue' | 'access' | 'command';
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

const order = /^\/svc\/v3\/orders\/[^/]+$/;
const lines = /^\/svc\/v3\/orders\/[^/]+\/lines$/;
const line = /^\/svc\/v3\/orders\/[^/]+\/lines\/[^/]+$/;
const extension = /^\/svc\/v3\/orders\/[^/]+\/extension$/;
const reservation = /^\/svc\/v3\/orders\/[^/]+\/reservation$/;
const payments = /^\/svc\/v3\/orders\/[^/]+\/payments$/;
const payment = /^\/svc\/v3\/orders\/[^/]+\/payments\/[^/]+$/;
const refunds = /^\/svc\/v3\/orders\/[^/]+\/refunds$/;
const release = /^\/internal\/stock\/holds\/[^/]+\/release$/;
const longerHold = /^\/internal\/stock\/holds\/[^/]+\/extension$/;
const renewal = /^\/internal\/stock\/holds\/[^/]+\/renewal$/;
const printing = /^\/svc\/v3\/tickets\/[^/]+\/printing$/;
const control = /^\/svc\/v3\/tickets\/[^/]+\/control$/;
const replacement = /^\/svc\/v3\/tickets\/[^/]+\/replacement$/;
const products = /^\/svc\/v3\/catalog\/products$/;
const performance = /^\/svc\/v3\/catalog\/performances\/[^/]+$/;
const individuals = /^\/svc\/v3\/contacts\/individuals$/;
const individual = /^\/svc\/v3\/contacts\/individuals\/[^/]+$/;
const sessions = /^\/tnwr\/v1\/sessions$/;
const cartItems = /^\/tnwr\/v1\/shopping-cart\/items$/;
const cartItem = /^\/tnwr\/v1\/shopping-cart\/items\/[^/]+$/;
const newItems = /^\/internal\/shop\/orders\/items$/;
const itemRemoval = /^\/internal\/shop\/orders\/[^/]+\/lines\/[^/]+\/removal$/;
const token = /^\/auth\/token$/;
const decisions = /^\/internal\/decisions$/;
const authorize = /^\/auth\/authorize$/;
const apiKey = /^\/internal\/api-keys$/;
const publicDecision = /^\/internal\/public-decisions$/;
const report = /^\/internal\/usage$/;
const users = /^\/svc\/v3\/users$/;

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
const erased = 'contact.erased';
const ofUsers = 'authorizer.contact-erased.v1';

/** Every named step of a command or reaction at which a process can be killed. */
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
  // The further commands and reactions, which the scenario `commands` reaches.
  'gateway-order-received': request('gateway', 'command', 'is asked', orders),
  'gateway-before-decision': request('gateway', 'command', 'asks', decisions),
  'gateway-after-decision': request('gateway', 'command', 'has the answer', decisions),
  'gateway-before-forwarding': request('gateway', 'command', 'asks', orders),
  'gateway-after-forwarding': request('gateway', 'command', 'has the answer', orders),
  'gateway-order-answered': request('gateway', 'command', 'has answered', orders),
  'authorizer-token-received': request('authorizer', 'command', 'is asked', token),
  'authorizer-token-answered': request('authorizer', 'command', 'has answered', token),
  'authorizer-decision-received': request('authorizer', 'command', 'is asked', decisions),
  'authorizer-decision-answered': request('authorizer', 'command', 'has answered', decisions),
  'orders-creation-received': request('orders', 'command', 'is asked', orders),
  'orders-confirmation-received': request('orders', 'command', 'is asked', confirmation),
  'orders-cancellation-received': request('orders', 'command', 'is asked', cancellation),
  'orders-lines-received': request('orders', 'command', 'is asked', lines),
  'orders-lines-answered': request('orders', 'command', 'has answered', lines),
  'orders-removal-received': request('orders', 'command', 'is asked', line, 'DELETE'),
  'orders-before-release': request('orders', 'command', 'asks', release),
  'catalog-hold-release-received': request('catalog', 'command', 'is asked', release),
  'catalog-hold-release-answered': request('catalog', 'command', 'has answered', release),
  'orders-after-release': request('orders', 'command', 'has the answer', release),
  'orders-removal-answered': request('orders', 'command', 'has answered', line, 'DELETE'),
  'orders-extension-received': request('orders', 'command', 'is asked', extension),
  'orders-before-extension': request('orders', 'command', 'asks', longerHold),
  'catalog-extension-received': request('catalog', 'command', 'is asked', longerHold),
  'catalog-extension-answered': request('catalog', 'command', 'has answered', longerHold),
  'orders-after-extension': request('orders', 'command', 'has the answer', longerHold),
  'orders-extension-answered': request('orders', 'command', 'has answered', extension),
  'orders-reservation-received': request('orders', 'command', 'is asked', reservation),
  'orders-reservation-answered': request('orders', 'command', 'has answered', reservation),
  'orders-change-received': request('orders', 'command', 'is asked', order, 'PATCH'),
  'orders-change-answered': request('orders', 'command', 'has answered', order, 'PATCH'),
  'contacts-criteria-answered': request('contacts', 'command', 'has answered', criteria, 'GET'),
  'orders-payment-received': request('orders', 'command', 'is asked', payments),
  'orders-payment-answered': request('orders', 'command', 'has answered', payments),
  'orders-settlement-received': request('orders', 'command', 'is asked', payment, 'PATCH'),
  'orders-before-renewal': request('orders', 'command', 'asks', renewal),
  'catalog-renewal-received': request('catalog', 'command', 'is asked', renewal),
  'catalog-renewal-answered': request('catalog', 'command', 'has answered', renewal),
  'orders-after-renewal': request('orders', 'command', 'has the answer', renewal),
  'orders-settlement-answered': request('orders', 'command', 'has answered', payment, 'PATCH'),
  'catalog-sale-received': request('catalog', 'command', 'is asked', sale),
  'tickets-issue-answered': request('tickets', 'command', 'has answered', issue),
  'orders-refund-received': request('orders', 'command', 'is asked', refunds),
  'orders-refund-answered': request('orders', 'command', 'has answered', refunds),
  'tickets-control-check-received': request('tickets', 'command', 'is asked', controlled, 'GET'),
  'tickets-control-check-answered': request('tickets', 'command', 'has answered', controlled, 'GET'),
  'orders-after-control-check': request('orders', 'command', 'has the answer', controlled, 'GET'),
  'tickets-printing-received': request('tickets', 'command', 'is asked', printing),
  'tickets-printing-answered': request('tickets', 'command', 'has answered', printing),
  'tickets-control-received': request('tickets', 'command', 'is asked', control),
  'tickets-control-answered': request('tickets', 'command', 'has answered', control),
  'tickets-reversion-received': request('tickets', 'command', 'is asked', control, 'DELETE'),
  'tickets-reversion-answered': request('tickets', 'command', 'has answered', control, 'DELETE'),
  'tickets-replacement-received': request('tickets', 'command', 'is asked', replacement),
  'tickets-replacement-answered': request('tickets', 'command', 'has answered', replacement),
  'orders-controlled-received': fact('orders', 'command', fulfilment, 'ticket.controlled', 'received'),
  'orders-controlled-handled': fact('orders', 'command', fulfilment, 'ticket.controlled', 'handled'),
  'orders-reverted-received': fact('orders', 'command', fulfilment, 'ticket.control_reverted', 'received'),
  'orders-reverted-handled': fact('orders', 'command', fulfilment, 'ticket.control_reverted', 'handled'),
  'orders-replaced-received': fact('orders', 'command', fulfilment, 'ticket.replaced', 'received'),
  'orders-replaced-handled': fact('orders', 'command', fulfilment, 'ticket.replaced', 'handled'),
  'catalog-cancelled-handled': fact('catalog', 'command', releases, 'order.cancelled', 'handled'),
  'catalog-expired-received': fact('catalog', 'command', releases, 'order.expired', 'received'),
  'catalog-expired-handled': fact('catalog', 'command', releases, 'order.expired', 'handled'),
  'catalog-product-received': request('catalog', 'command', 'is asked', products),
  'catalog-product-answered': request('catalog', 'command', 'has answered', products),
  'catalog-performance-received': request('catalog', 'command', 'is asked', performance, 'PATCH'),
  'catalog-performance-answered': request('catalog', 'command', 'has answered', performance, 'PATCH'),
  'contacts-creation-received': request('contacts', 'command', 'is asked', individuals),
  'contacts-creation-answered': request('contacts', 'command', 'has answered', individuals),
  'contacts-change-received': request('contacts', 'command', 'is asked', individual, 'PATCH'),
  'contacts-change-answered': request('contacts', 'command', 'has answered', individual, 'PATCH'),
  'contacts-erasure-received': request('contacts', 'command', 'is asked', individual, 'DELETE'),
  'contacts-erasure-answered': request('contacts', 'command', 'has answered', individual, 'DELETE'),
  'orders-erased-received': fact('orders', 'command', 'orders.contact-erased.v1', erased, 'received'),
  'orders-erased-handled': fact('orders', 'command', 'orders.contact-erased.v1', erased, 'handled'),
  'tickets-erased-received': fact('tickets', 'command', 'tickets.contact-erased.v1', erased, 'received'),
  'tickets-erased-handled': fact('tickets', 'command', 'tickets.contact-erased.v1', erased, 'handled'),
  'pos-erased-received': fact('pos', 'command', 'pos.contact-erased.v1', erased, 'received'),
  'pos-erased-handled': fact('pos', 'command', 'pos.contact-erased.v1', erased, 'handled'),
  'pos-login-received': request('pos', 'command', 'is asked', sessions),
  'pos-login-answered': request('pos', 'command', 'has answered', sessions),
  'pos-item-received': request('pos', 'command', 'is asked', cartItems),
  'pos-before-item': request('pos', 'command', 'asks', newItems),
  'orders-item-received': request('orders', 'command', 'is asked', newItems),
  'orders-item-answered': request('orders', 'command', 'has answered', newItems),
  'pos-after-item': request('pos', 'command', 'has the answer', newItems),
  'pos-item-answered': request('pos', 'command', 'has answered', cartItems),
  'pos-removal-received': request('pos', 'command', 'is asked', cartItem, 'DELETE'),
  'pos-before-removal': request('pos', 'command', 'asks', itemRemoval),
  'orders-item-removal-received': request('orders', 'command', 'is asked', itemRemoval),
  'orders-item-removal-answered': request('orders', 'command', 'has answered', itemRemoval),
  'pos-after-removal': request('pos', 'command', 'has the answer', itemRemoval),
  'pos-removal-answered': request('pos', 'command', 'has answered', cartItem, 'DELETE'),
  // Signing in, API keys and usage, which the scenario `sign-ins` reaches.
  'authorizer-sign-in-received': request('authorizer', 'access', 'is asked', authorize),
  'authorizer-sign-in-answered': request('authorizer', 'access', 'has answered', authorize),
  'gateway-before-sign-in': request('gateway', 'access', 'asks', authorize),
  'gateway-after-sign-in': request('gateway', 'access', 'has the answer', authorize),
  'authorizer-grant-received': request('authorizer', 'access', 'is asked', token),
  'authorizer-grant-answered': request('authorizer', 'access', 'has answered', token),
  'gateway-after-grant': request('gateway', 'access', 'has the answer', token),
  'authorizer-user-answered': request('authorizer', 'access', 'has answered', users),
  'gateway-before-key': request('gateway', 'access', 'asks', apiKey),
  'authorizer-key-answered': request('authorizer', 'access', 'has answered', apiKey),
  'authorizer-public-answered': request('authorizer', 'access', 'has answered', publicDecision),
  'gateway-before-report': request('gateway', 'access', 'asks', report),
  'authorizer-report-received': request('authorizer', 'access', 'is asked', report),
  'authorizer-report-answered': request('authorizer', 'access', 'has answered', report),
  'gateway-after-report': request('gateway', 'access', 'has the answer', report),
  'authorizer-erased-received': fact('authorizer', 'access', ofUsers, erased, 'received'),
  'authorizer-erased-handled': fact('authorizer', 'access', ofUsers, erased, 'handled'),
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

/** The points of signing in, API keys and usage; only the plan plays them. */
export const accessPointNames = namesOf('access');

/** The points of all further commands and reactions; only the plan plays them. */
export const commandPointNames = namesOf('command');
