/** The kinds of process behind the gateway. */
export const serving = ['authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'payments', 'pos'] as const;

/** A program of the scaled deployment. */
export type ServiceName = (typeof serving)[number] | 'gateway';

/** Where a process stands in a request: as its caller before and after it, as the called one at its arrival and end. */
export type Edge = 'before' | 'received' | 'answered' | 'after';

/** A moment of a request, as node:diagnostics_channel reports it. */
export interface RequestPoint {
  readonly edge: Edge;
  readonly method: string;
  readonly path: RegExp;
}

/** A fact that reaches a service, as libs/service reports it on the channel `boxoffice:fact`. */
export interface FactPoint {
  readonly queue: string;
  readonly type: string;
  readonly phase: 'received' | 'handled';
}

/**
 * The transaction of a step: a purchase, the uses of discounts that it claims, the return or exchange of its lines, its
 * cancellation, the end of a whole performance, a visitor's checkout (which also has the sale of a purchase), the cancellation of a checkout after an error, a payment on a provider's page,
 * access (signing in, keys, usage), or any further command and its reactions.
 */
export type Step =
  | 'purchase'
  | 'discount'
  | 'exchange'
  | 'cancellation'
  | 'closing'
  | 'checkout'
  | 'rescue'
  | 'payment'
  | 'access'
  | 'command';

/** A moment at which a process of a service kills itself. */
interface CrashPoint {
  readonly service: ServiceName;
  readonly step: Step;
  readonly moment: RequestPoint | FactPoint;
}

/** A request: its name, who sends it and who gets it, as far as these can be killed for it, and `*` for each id. */
type Request = readonly [Step, string, caller: ServiceName | undefined, called: ServiceName | undefined, string];

const ORDER = '/svc/v3/orders/*';
const TICKET = '/svc/v3/tickets/*';
const HOLD = '/internal/stock/holds/*';
const CART = '/tnwr/v1/shopping-cart/items';
const SHOP_ORDER = '/internal/shop/orders/*';
const SESSIONS = '/v1/checkout/sessions';

const requests: readonly Request[] = [
  ['purchase', 'hold', 'orders', 'catalog', 'POST /internal/stock/holds'],
  ['discount', 'uses', 'orders', 'catalog', 'POST /internal/stock/uses'],
  ['purchase', 'creation', undefined, 'orders', 'POST /svc/v3/orders'],
  ['purchase', 'sale', 'orders', 'catalog', `POST ${HOLD}/sale`],
  ['purchase', 'issue', 'orders', 'tickets', 'POST /internal/tickets/issue'],
  ['purchase', 'confirmation', undefined, 'orders', `POST ${ORDER}/confirmation`],
  ['exchange', 'exchange', undefined, 'orders', `POST ${ORDER}/changes`],
  ['exchange', 'withdrawal', undefined, 'orders', `DELETE ${ORDER}/changes/*`],
  ['exchange', 'tickets', 'orders', 'tickets', 'POST /internal/tickets/changes'],
  ['cancellation', 'control-check', 'orders', 'tickets', 'GET /internal/orders/*/tickets'],
  ['cancellation', 'cancellation', undefined, 'orders', `POST ${ORDER}/cancellation`],
  ['checkout', 'purchase', undefined, 'gateway', 'POST /tnwr/v1/orders'],
  ['checkout', 'purchase', undefined, 'pos', 'POST /tnwr/v1/orders'],
  ['checkout', 'checkout', 'pos', 'orders', 'POST /internal/shop/orders/*/checkout'],
  ['checkout', 'criteria', 'orders', 'contacts', 'GET /internal/contacts/*'],
  ['checkout', 'guest', 'orders', 'contacts', 'PUT /internal/shop/contacts/*'],
  ['rescue', 'rescue', 'pos', 'orders', 'POST /internal/shop/orders/*/fault-cancellation'],
  ['payment', 'paid-purchase', undefined, 'gateway', 'POST /tnwr/vexp/orders'],
  ['payment', 'paid-purchase', undefined, 'pos', 'POST /tnwr/vexp/orders'],
  ['payment', 'page', 'pos', 'payments', 'POST /internal/pages'],
  ['payment', 'page-checkout', 'pos', 'orders', `POST ${SHOP_ORDER}/checkout`],
  ['payment', 'another-page', 'pos', 'orders', `POST ${SHOP_ORDER}/payments`],
  ['payment', 'own-change', undefined, 'pos', 'POST /tnwr/vexp/orders/*/changes'],
  ['payment', 'page-change', 'pos', 'orders', `POST ${SHOP_ORDER}/changes`],
  ['payment', 'own-withdrawal', 'pos', 'orders', `POST ${SHOP_ORDER}/changes/*/ending`],
  ['payment', 'opening', 'payments', undefined, `POST ${SESSIONS}`],
  ['payment', 'reading', 'payments', undefined, `GET ${SESSIONS}/*`],
  ['payment', 'closing', 'payments', undefined, `POST ${SESSIONS}/*/expire`],
  ['payment', 'refund', 'payments', undefined, 'POST /v1/refunds'],
  ['payment', 'hint', 'gateway', 'payments', 'POST /svc/v3/payment-providers/stripe/webhooks/*'],
  ['payment', 'look', 'pos', 'payments', 'POST /internal/orders/*/look'],
  ['payment', 'payment-report', 'payments', 'orders', 'PUT /internal/orders/*/provider-payments/*'],
  ['payment', 'refund-report', 'payments', 'orders', 'PUT /internal/orders/*/provider-refunds/*'],
  ['command', 'order', undefined, 'gateway', 'POST /svc/v3/orders'],
  ['command', 'decision', 'gateway', 'authorizer', 'POST /internal/decisions'],
  ['command', 'forwarding', 'gateway', undefined, 'POST /svc/v3/orders'],
  ['command', 'token', undefined, 'authorizer', 'POST /auth/token'],
  ['command', 'lines', undefined, 'orders', `POST ${ORDER}/lines`],
  ['command', 'removal', undefined, 'orders', `DELETE ${ORDER}/lines/*`],
  ['command', 'release', 'orders', 'catalog', `POST ${HOLD}/release`],
  ['command', 'extension', undefined, 'orders', `POST ${ORDER}/extension`],
  ['command', 'extension', 'orders', 'catalog', `POST ${HOLD}/extension`],
  ['command', 'reservation', undefined, 'orders', `POST ${ORDER}/reservation`],
  ['command', 'change', undefined, 'orders', `PATCH ${ORDER}`],
  ['command', 'payment', undefined, 'orders', `POST ${ORDER}/payments`],
  ['command', 'settlement', undefined, 'orders', `PATCH ${ORDER}/payments/*`],
  ['command', 'renewal', 'orders', 'catalog', `POST ${HOLD}/renewal`],
  ['command', 'refund', undefined, 'orders', `POST ${ORDER}/refunds`],
  ['command', 'printing', undefined, 'tickets', `POST ${TICKET}/printing`],
  ['command', 'control', undefined, 'tickets', `POST ${TICKET}/control`],
  ['command', 'reversion', undefined, 'tickets', `DELETE ${TICKET}/control`],
  ['command', 'replacement', undefined, 'tickets', `POST ${TICKET}/replacement`],
  ['command', 'product', undefined, 'catalog', 'POST /svc/v3/catalog/products'],
  ['command', 'performance', undefined, 'catalog', 'PATCH /svc/v3/catalog/performances/*'],
  ['command', 'contact', undefined, 'contacts', 'POST /svc/v3/contacts/individuals'],
  ['command', 'contact-change', undefined, 'contacts', 'PATCH /svc/v3/contacts/individuals/*'],
  ['command', 'erasure', undefined, 'contacts', 'DELETE /svc/v3/contacts/individuals/*'],
  ['command', 'login', undefined, 'pos', 'POST /tnwr/v1/sessions'],
  ['command', 'item', undefined, 'pos', `POST ${CART}`],
  ['command', 'item', 'pos', 'orders', 'POST /internal/shop/orders/items'],
  ['command', 'item-removal', undefined, 'pos', `DELETE ${CART}/*`],
  ['command', 'item-removal', 'pos', 'orders', 'POST /internal/shop/orders/*/lines/*/removal'],
  ['access', 'sign-in', 'gateway', 'authorizer', 'POST /auth/authorize'],
  ['access', 'grant', 'gateway', 'authorizer', 'POST /auth/token'],
  ['access', 'user', undefined, 'authorizer', 'POST /svc/v3/users'],
  ['access', 'key', 'gateway', 'authorizer', 'POST /internal/api-keys'],
  ['access', 'public-decision', 'gateway', 'authorizer', 'POST /internal/public-decisions'],
  ['access', 'report', 'gateway', 'authorizer', 'POST /internal/usage'],
];

const FULFILMENT = 'orders.fulfilment.v1';
const RELEASES = 'catalog.releases.v1';

/** A fact: its name, who gets it, in which queue. */
const facts: readonly (readonly [Step, string, ServiceName, queue: string, type: string])[] = [
  ['cancellation', 'cancelled', 'tickets', 'tickets.orders.v1', 'order.cancelled'],
  ['cancellation', 'cancelled', 'catalog', RELEASES, 'order.cancelled'],
  ['cancellation', 'tickets-cancelled', 'catalog', RELEASES, 'tickets.cancelled'],
  ['cancellation', 'tickets-cancelled', 'orders', FULFILMENT, 'tickets.cancelled'],
  ['cancellation', 'released', 'orders', FULFILMENT, 'places.released'],
  ['closing', 'performance-cancelled', 'orders', 'orders.performance-cancelled.v1', 'performance.cancelled'],
  ['payment', 'refund-requested', 'payments', 'payments.orders.v1', 'order.refund_requested'],
  ['payment', 'confirmed', 'payments', 'payments.orders.v1', 'order.confirmed'],
  ['payment', 'cancelled', 'payments', 'payments.orders.v1', 'order.cancelled'],
  ['command', 'controlled', 'orders', FULFILMENT, 'ticket.controlled'],
  ['command', 'reverted', 'orders', FULFILMENT, 'ticket.control_reverted'],
  ['command', 'replaced', 'orders', FULFILMENT, 'ticket.replaced'],
  ['command', 'expired', 'catalog', RELEASES, 'order.expired'],
  ['command', 'erased', 'orders', 'orders.contact-erased.v1', 'contact.erased'],
  ['command', 'erased', 'tickets', 'tickets.contact-erased.v1', 'contact.erased'],
  ['command', 'erased', 'pos', 'pos.contact-erased.v1', 'contact.erased'],
  ['access', 'erased', 'authorizer', 'authorizer.contact-erased.v1', 'contact.erased'],
];

const pointsOf = ([step, name, caller, called, target]: Request): [string, CrashPoint][] => {
  const [method = '', path = ''] = target.split(' ');
  const pattern = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`);
  const point = (service: ServiceName, text: string, edge: Edge): [string, CrashPoint] => [
    `${service}-${text}`,
    { service, step, moment: { edge, method, path: pattern } },
  ];
  return [
    ...(caller ? [point(caller, `before-${name}`, 'before'), point(caller, `after-${name}`, 'after')] : []),
    ...(called ? [point(called, `${name}-received`, 'received'), point(called, `${name}-answered`, 'answered')] : []),
  ];
};

/** Every named step of a command or reaction at which a process can be killed. */
const crashPoints: ReadonlyMap<string, CrashPoint> = new Map([
  ...requests.flatMap(pointsOf),
  ...facts.flatMap(([step, name, service, queue, type]) =>
    (['received', 'handled'] as const).map((phase): [string, CrashPoint] => [
      `${service}-${name}-${phase}`,
      { service, step, moment: { queue, type, phase } },
    ]),
  ),
]);

/** @throws {Error} when there is none of that name */
export function requireCrashPoint(name: string): CrashPoint {
  const point = crashPoints.get(name);
  if (!point) throw new Error(`there is no crash point ${name}`);
  return point;
}

/** The names of the points of these steps. */
export function listPoints(...steps: readonly Step[]): string[] {
  return [...crashPoints].flatMap(([name, { step }]) => (steps.includes(step) ? [name] : []));
}

const ofSale = listPoints('purchase').filter((name) => /(sale|issue)/.test(name));

/** The points that a checkout reaches: its own steps, and those of the sale that it starts. */
export const checkoutPoints: readonly string[] = [...listPoints('checkout'), ...ofSale];

/** The points that a payment on a provider's page reaches: its own steps, and those of the sale that follows. */
export const paymentPoints: readonly string[] = [...listPoints('payment'), ...ofSale];

/** The points of an order with discounts: the claim of their uses, the sale, and the release of a removed line. */
export const discountPoints: readonly string[] = [
  ...listPoints('discount'),
  ...listPoints('purchase', 'command').filter((name) => /-(sale|release)(-|$)/.test(name)),
];

const ofChange = /-(hold|sale|renewal|release|payment|settlement)(-|$)|(before|after|catalog)-extension/;

/** The points of a change: the look for controls, hold and uses, payment, sale, tickets, release, and its order's end. */
export const exchangePoints: readonly string[] = [
  ...listPoints('exchange', 'discount', 'cancellation'),
  ...listPoints('purchase', 'command').filter((name) => ofChange.test(name)),
];
