import { randomUUID } from 'node:crypto';
import type { AnyOperation } from '@boxoffice/http';
import type { Reason } from '../../src/clients/orders.ts';
import type { Fixture, Reply } from '../fixture/fixture.ts';
import { createGuestCheckout, createUserCheckout, PAID } from '../fixture/shopper.ts';

/** A request that ends in an error. */
type Scenario = () => Promise<Reply>;

const refusedWhenAdding: readonly Reason[] = [
  ...(['places_unavailable', 'not_on_sale', 'too_many_places', 'hold_limit', 'tariff_not_sold_here'] as const),
  ...(['invalid_reference', 'invalid_items', 'tariff_not_accessible', 'busy'] as const),
];
const refusedWhenChanging: readonly Reason[] = [
  ...(['cart_expired', 'empty', 'not_on_sale', 'invalid_reference', 'tariff_not_accessible', 'busy'] as const),
  'unknown_line',
];
const refusedCodes: readonly Reason[] = [
  ...(['unknown_code', 'code_used_up', 'code_not_applicable', 'too_many_codes', 'tariff_locked', 'busy'] as const),
];
const refusedWhenBuying: readonly Reason[] = [
  ...(['empty', 'cart_expired', 'cart_gone', 'not_on_sale', 'payment_declined', 'places_gone', 'busy'] as const),
  ...(['invalid_reference', 'tariff_not_accessible', 'account_required'] as const),
];

const refusedWhenChangingOrders: readonly Reason[] = [
  ...(['not_changeable', 'change_in_progress', 'difference_changed', 'places_unavailable', 'not_on_sale'] as const),
  ...(['invalid_reference', 'tariff_not_accessible', 'account_required', 'payment_declined', 'hold_limit'] as const),
  ...(['too_many_places', 'unpaid', 'busy'] as const),
];

type Version = 'v1' | 'vexp';

/** The version of the operation's path. */
export function getVersion({ path }: Pick<AnyOperation, 'path'>): Version {
  return path.startsWith('/tnwr/vexp/') ? 'vexp' : 'v1';
}

/** Requests for every refusal of each operation, except those of context, session and form. */
export async function createScenarios(
  given: Fixture,
  version: Version,
): Promise<Readonly<Record<string, readonly Scenario[]>>> {
  const fixture = under(given, version);
  const user = await fixture.user();
  const token = await fixture.logIn(user);
  const { performanceId, seatCategoryId, product } = fixture.catalog.show();
  const item = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const bought = createGuestCheckout(PAID);

  const fill = async (own?: string) => {
    const { token: made, data } = await fixture.call('POST', '/shopping-cart/items', { token: own, body: item });
    const [line] = Object.keys((data as { items: object }).items);
    return { token: made ?? String(own), path: `/shopping-cart/items/${line}`, cartId: String(data.id) };
  };
  const guest = await fill();

  const refused = (reasons: readonly Reason[], request: () => Promise<Reply> | Reply): Scenario[] =>
    reasons.map((reason) => async () => {
      fixture.orders.refuseNext(reason);
      return request();
    });
  const called =
    (method: string, path: string, call: object): Scenario =>
    () =>
      fixture.call(method, path, call);
  /** Requests with the contact of another user, and without a login. */
  const contacts = (method: string, path: string, query: boolean, body: object = {}): Scenario[] =>
    [guest.token, token].map((who) => {
      const target = query ? `${path}?contactNumber=COTHER` : path;
      return called(method, target, { token: who, ...(query ? {} : { body: { ...body, contactNumber: 'COTHER' } }) });
    });
  const expiredCart = (method: string, path?: string, body?: object) => async () => {
    const cart = await fill();
    fixture.orders.expire(cart.cartId);
    return fixture.call(method, path ?? cart.path, { token: cart.token, body });
  };
  const order = async () => {
    const cart = await fill();
    await fixture.call('POST', '/orders', { token: cart.token, body: bought });
    return { token: cart.token, id: cart.cartId, path: `/orders/${cart.cartId}/cancellation` };
  };
  const mine = await order();
  /** The path of a new ticket of the user, with this status. */
  const ticketPath = async (status: 'controlled' | 'not_printed' | 'cancelled') => {
    await fill(token);
    const { data } = await fixture.call('POST', '/orders', { token, body: createUserCheckout(user) });
    const [{ ticketId } = { ticketId: '' }] = Object.values(data.items as Record<string, { ticketId: string }>);
    fixture.tickets.setStatus(ticketId, status);
    return `/tickets/${ticketId}`;
  };
  const usersTicket = async () =>
    fixture.call('PATCH', await ticketPath('controlled'), { token, body: { beneficiaryFirstName: 'B' } });
  const key = randomUUID();
  const reused = (method: string, path: string, who: string, one: object, other: object, then = path): Scenario => {
    const send = (to: string, body: object) =>
      fixture.call(method, to, { token: who, body, headers: { 'idempotency-key': key + path } });
    return async () => {
      await send(path, one);
      return send(then, other);
    };
  };
  const documentOf = (status: 'not_printed' | 'cancelled') => async () =>
    fixture.call('GET', `${await ticketPath(status)}/document`, { token });
  const spring = { code: 'SPRING-27' };
  const lost = { email: 'ana.martin@example.org', number: 'unknown2' };
  const [ana, eva] = [{ beneficiaryFirstName: 'Ana' }, { beneficiaryFirstName: 'Eva' }];

  const card = { paymentMethod: 'stripe' };
  const changes = `/orders/${mine.id}/changes`;
  const returning = { returns: [{ lineId: 'lin_of_nobody' }], difference: -4_000 };
  const byCard = createGuestCheckout(card);
  /** An order that waits for its payment on the page of a provider. */
  const payable = async () => {
    const { token: own, cartId } = await fill();
    await fixture.call('POST', '/orders', { token: own, body: byCard });
    return { token: own, path: `/orders/${cartId}/payments` };
  };
  const withoutTerms: Scenario = async () => {
    const { serviceHost: host } = fixture.catalog.pointOfSale({ requireTerms: true });
    const { token: there } = await fixture.call('POST', '/shopping-cart/items', { host, body: item });
    return fixture.call('POST', '/orders', { host, token: String(there), body: bought });
  };
  const checkoutsByProvider: Scenario[] = [
    called('POST', '/orders', { token: guest.token, body: { ...byCard, returnUrl: 'https://foreign.example' } }),
    ...(['unavailable', 'amount_too_small'] as const).map((outcome) => async () => {
      fixture.payments.refuseNext(outcome);
      return fixture.call('POST', '/orders', { token: guest.token, body: byCard });
    }),
    ...refused(['not_payable', 'amount_differs'], called('POST', '/orders', { token: guest.token, body: byCard })),
  ];

  return {
    browseProducts: contacts('GET', '/products', true),
    browseProgramme: contacts('GET', '/programme', true),
    viewProduct: contacts('GET', `/products/${product.id}`, true),
    logIn: [called('POST', '/sessions', { body: { login: 'nobody', password: 'wrong' } })],
    getOwnContact: [
      called('GET', '/contacts/COTHER', { token }),
      async () => {
        const gone = await fixture.user();
        fixture.contacts.known.delete(gone.contactNumber);
        return fixture.call('GET', `/contacts/${gone.contactNumber}`, { token: await fixture.logIn(gone) });
      },
    ],
    getCart: [expiredCart('GET', '/shopping-cart')],
    addToCart: [
      ...refused(refusedWhenAdding, called('POST', '/shopping-cart/items', { token: guest.token, body: item })),
      ...contacts('POST', '/shopping-cart/items', false, item),
      reused('POST', '/shopping-cart/items', guest.token, item, { ...item, quantity: 2 }),
    ],
    changeInCart: [
      ...refused(refusedWhenChanging, called('PATCH', guest.path, { token: guest.token, body: {} })),
      ...contacts('PATCH', guest.path, false),
      expiredCart('PATCH', undefined, {}),
      reused('PATCH', guest.path, guest.token, ana, eva),
    ],
    removeFromCart: [
      ...refused(['cart_expired', 'empty', 'busy', 'unknown_line'], called('DELETE', guest.path, guest)),
      expiredCart('DELETE'),
    ],
    addCodeToCart: [
      ...refused(refusedCodes, called('POST', '/shopping-cart/codes', { token: guest.token, body: spring })),
      reused('POST', '/shopping-cart/codes', guest.token, spring, { code: 'AUTUMN-27' }),
    ],
    removeCodesFromCart: refused(
      ['tariff_locked', 'busy', 'unknown_discount'],
      called('DELETE', '/shopping-cart/codes/dsc_1', guest),
    ),
    checkOut: [
      ...refused(refusedWhenBuying, called('POST', '/orders', { token: guest.token, body: bought })),
      ...contacts('POST', '/orders', false, { paymentMethod: 'external' }),
      called('POST', '/orders', { token: guest.token, body: { paymentMethod: 'external' } }),
      async () => {
        const { serviceHost: host } = fixture.catalog.pointOfSale({ paymentMethods: ['external'] });
        const { token: there } = await fixture.call('POST', '/shopping-cart/items', { host, body: item });
        return fixture.call('POST', '/orders', { host, token: String(there), body: bought });
      },
      called('POST', '/orders', { token, body: bought }),
      ...(version === 'vexp' ? [...checkoutsByProvider, withoutTerms] : []),
      expiredCart('POST', '/orders', bought),
      reused('POST', '/orders', mine.token, bought, { ...bought, paymentToken: 'pending' }),
    ],
    payOwnOrder: [
      ...(['not_payable', 'busy'] as const).map((reason) => async () => {
        const waiting = await payable();
        fixture.orders.refuseNext(reason);
        return fixture.call('POST', waiting.path, { token: waiting.token, body: card });
      }),
      called('POST', `/orders/${mine.id}/payments`, { token: mine.token, body: { paymentMethod: 'external' } }),
      called('POST', `/orders/${mine.id}/payments`, { token: mine.token, body: { ...card, returnUrl: '/thanks' } }),
      ...(['unavailable', 'amount_too_small'] as const).map((outcome) => async () => {
        const waiting = await payable();
        fixture.payments.refuseNext(outcome);
        return fixture.call('POST', waiting.path, { token: waiting.token, body: card });
      }),
      reused('POST', `/orders/${mine.id}/payments`, mine.token, card, card, '/orders/x/payments'),
    ],
    quoteOwnChange: [
      called('POST', `${changes}/quotes`, { token: mine.token, body: {} }),
      reused('POST', `${changes}/quotes`, mine.token, { returns: [{ lineId: 'x' }] }, { returns: [{ lineId: 'y' }] }),
    ],
    changeOwnOrder: [
      ...refused(refusedWhenChangingOrders, called('POST', changes, { token: mine.token, body: returning })),
      called('POST', changes, { token: mine.token, body: { ...returning, ...card, returnUrl: '/thanks' } }),
      async () => {
        const { serviceHost: host } = fixture.catalog.pointOfSale({ paymentMethods: ['external'] });
        const { token: there, data } = await fixture.call('POST', '/shopping-cart/items', { host, body: item });
        const whose = { host, token: String(there) };
        await fixture.call('POST', '/orders', { ...whose, body: createGuestCheckout() });
        return fixture.call('POST', `/orders/${data.id}/changes`, { ...whose, body: { ...returning, ...card } });
      },
      ...(['unavailable', 'amount_too_small'] as const).map((outcome) => async () => {
        const { token: own, id } = await order();
        const { data } = await fixture.call('GET', `/orders/${id}`, { token: own });
        const [lineId] = Object.keys(data.items as object);
        fixture.payments.refuseNext(outcome);
        const body = { exchanges: [{ lineId, ...item }], difference: 1_000, ...card };
        return fixture.call('POST', `/orders/${id}/changes`, { token: own, body });
      }),
      reused('POST', changes, mine.token, returning, { ...returning, difference: 0 }),
    ],
    endOwnChange: refused(['not_changeable', 'unknown_change', 'busy'], called('DELETE', `${changes}/x`, mine)),
    createOrderLink: [reused('POST', `/orders/${mine.id}/links`, mine.token, {}, {}, '/orders/x/links')],
    requestOrderLink: [
      reused('POST', '/order-links/requests', token, lost, { ...lost, number: 'another2' }),
      ...Array.from({ length: 6 }, () => called('POST', '/order-links/requests', { body: lost })),
    ],
    getLinkedOrder: [called('GET', '/order-links/current', {})],
    getOrderOfLink: [called('GET', '/order-links/current/order', {})],
    getLinkedOrderDocument: [
      called('GET', '/order-links/current/document', {}),
      async () => {
        const { data } = await fixture.call('POST', `/orders/${mine.id}/links`, { token: mine.token, body: {} });
        const headers = { 'x-order-link': String(data.token) };
        return fixture.call('GET', '/order-links/current/document', { headers });
      },
    ],
    getOwnOrderDocument: [called('GET', `/orders/${mine.id}/document`, { token: mine.token })],
    cancelOwnOrder: [
      ...refused(['not_cancellable', 'cart_gone', 'busy'], called('POST', mine.path, { token: mine.token })),
      reused('POST', mine.path, mine.token, {}, {}, '/orders/x/cancellation'),
    ],
    getOwnTicketDocument: [documentOf('not_printed'), documentOf('cancelled')],
    nameOwnTicket: [usersTicket, reused('PATCH', '/tickets/x', token, ana, eva)],
  };
}

const under = (fixture: Fixture, version: Version): Fixture => ({
  ...fixture,
  call: (method, path, call) => fixture.call(method, path, { version, ...call }),
});

/** Requests for the refusals of every operation: context, session, format, form, resource. */
export function createGeneralRefusals(given: Fixture, operation: AnyOperation, token: string): Scenario[] {
  const { method, path, access, body } = operation;
  const fixture = under(given, getVersion(operation));
  const target = path.replace(/^\/tnwr\/\w+/, '').replaceAll(/\{[^}]*\}/g, 'x');
  const verb = method.toUpperCase();
  const takesBody = verb === 'POST' || verb === 'PATCH';
  const call = (given: object): Scenario => {
    return () => fixture.call(verb, target, given);
  };
  const valid = {
    '/shopping-cart/items': { performanceId: 'x', seatCategoryId: 'x', tariffId: 'x' },
    '/orders': { paymentMethod: 'external' },
    '/orders/x/payments': { paymentMethod: 'stripe' },
    '/orders/x/changes': { returns: [{ lineId: 'x' }], difference: 0 },
    '/orders/x/changes/quotes': { returns: [{ lineId: 'x' }] },
    '/shopping-cart/codes': { code: 'SPRING-27' },
    '/sessions': { login: 'x', password: 'x' },
    '/order-links/requests': { email: 'x@example.org', number: 'x' },
  }[target];
  return [
    call({ host: null }),
    call({ host: 'nobody.example' }),
    ...(access === 'newcomer' || access === 'link' ? [] : [call({ token: 'x'.repeat(43) })]),
    ...(['session', 'login', 'owner'].includes(access) ? [call({})] : []),
    ...(takesBody ? [call({ token, body: 'x'.repeat(300_000) })] : []),
    ...(takesBody ? [call({ token, headers: { 'content-type': 'text/plain' } })] : []),
    ...(takesBody ? [call({ token, body: { ...valid, junk: 1 } })] : []),
    ...(path.includes('{') ? [call({ token, ...(body ? { body: valid ?? {} } : {}) })] : []),
  ];
}
