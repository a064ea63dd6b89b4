// rule 7: 2: 404 where the resource does not exist | services/pos/src/orders/routes.ts
// rule 4: `GET /tickets` gives the tickets of the connected user | services/pos/src/tickets/routes.ts
// rule 4: `GET /tickets/{ticket_id}` gives one ticket | services/pos/src/tickets/routes.ts
// rule 4: `PATCH /tickets/{ticket_id}` sets the beneficiary's names | services/pos/src/tickets/routes.ts
// rule 4: Rule 7: filters are query parameters, documented per endpoint | services/pos/src/tickets/routes.ts

import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Login, openFixture } from '../fixture/fixture.ts';
import { toOrderNumber } from '../fixture/orders.ts';
import { decodeShownContent } from '../fixture/others.ts';
import { createGuestCheckout, createShopper, createUserCheckout, PAID } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());

const { fill, buy } = createShopper(fixture);

const guestOrder = async () => {
  const { token, cartId } = await fill();
  await buy(token, createGuestCheckout(PAID));
  return { token, id: cartId };
};

const userOrder = async (user: Login) => {
  const { token, cartId } = await fill(await fixture.logIn(user));
  await buy(token, createUserCheckout(user));
  return { token, id: cartId };
};

/** A new user buys three places. */
const buyThree = async () => {
  const user = await fixture.user();
  const token = await fixture.logIn(user);
  await fill(token, { quantity: 3 });
  const orderId = String((await buy(token, createUserCheckout(user))).data.id);
  const tickets = [...fixture.tickets.tickets.values()].filter((ticket) => ticket.orderId === orderId);
  return { token, orderId, ticketIds: tickets.map(({ id }) => id) };
};

const idsOf = async (token: string, query = '') => {
  const { data, headers } = await fixture.call('GET', `/orders${query}`, { token });
  return { ids: Object.keys(data), total: headers.get('x-total-amount'), link: headers.get('link') };
};

describe('own orders', () => {
  test('are those of this session, without a login', async () => {
    const one = await guestOrder();
    const other = await guestOrder();
    expect((await idsOf(one.token)).ids).toEqual([one.id]);
    const foreign = await fixture.call('GET', `/orders/${other.id}`, { token: one.token });
    const unknown = await fixture.call('GET', '/orders/ord_unknown', { token: one.token });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });

  test("are those of the user's contact, from every session", async () => {
    const user = await fixture.user();
    const first = await userOrder(user);
    const second = await userOrder(user);
    expect(new Set((await idsOf(second.token)).ids)).toEqual(new Set([first.id, second.id]));
    const paged = await idsOf(second.token, '?limit=1');
    expect([paged.ids.length, paged.total]).toEqual([1, '2']);
    expect(paged.link).toContain('/tnwr/v1/orders?offset=1&limit=1>; rel="last"');
  });

  test('of a guest stay visible after a login, those of another user do not', async () => {
    const guest = await guestOrder();
    const ann = await fixture.user();
    const token = await fixture.logIn(ann, { token: guest.token });
    expect((await idsOf(token)).ids).toEqual([guest.id]);
    const bob = await fixture.logIn(await fixture.user(), { token });
    expect((await idsOf(bob)).ids).toEqual([]);
  });

  test('are those that the user bought for another contact, from every session, with their tickets', async () => {
    const user = await fixture.user();
    const { token, cartId: id } = await fill(await fixture.logIn(user));
    const bought = await buy(token, createGuestCheckout(PAID));
    expect(bought.data.contactNumber).not.toBe(user.contactNumber);
    const own = await userOrder(user);
    for (const later of [token, await fixture.logIn(user)]) {
      expect(new Set((await idsOf(later)).ids)).toEqual(new Set([id, own.id]));
      expect((await fixture.call('GET', `/orders/${id}`, { token: later })).data.id).toBe(id);
      const { data: tickets } = await fixture.call<Record<string, { orderId: string }>>('GET', '/tickets', {
        token: later,
      });
      expect(new Set(Object.values(tickets).map(({ orderId }) => orderId))).toEqual(new Set([id, own.id]));
      const [ticketId] = Object.entries(tickets).find(([, { orderId }]) => orderId === id) ?? [];
      const named = { token: later, body: { beneficiaryFirstName: 'Clara' } };
      expect((await fixture.call('PATCH', `/tickets/${ticketId}`, named)).data.beneficiaryFirstName).toBe('Clara');
    }
    const stranger = await fixture.logIn(await fixture.user());
    expect((await idsOf(stranger)).ids).toEqual([]);
    expect((await fixture.call('GET', `/orders/${id}`, { token: stranger })).status).toBe(404);
    expect((await fixture.call('GET', '/tickets', { token: stranger })).data).toEqual({});
  });

  test('do not include a cart', async () => {
    const { token, cartId } = await fill();
    expect((await idsOf(token)).ids).toEqual([]);
    expect((await fixture.call('GET', `/orders/${cartId}`, { token })).status).toBe(404);
    const cancelled = await fixture.call('POST', `/orders/${cartId}/cancellation`, { token });
    expect(cancelled.status).toBe(404);
  });
});

describe('a cancellation', () => {
  test('returns the order; a second one is 400, and the same key returns the same answer', async () => {
    const { token, id } = await guestOrder();
    const headers = { 'idempotency-key': randomUUID() };
    const cancel = (more = {}) => fixture.call('POST', `/orders/${id}/cancellation`, { token, headers: more });
    const first = await cancel(headers);
    expect([first.status, first.data.state]).toEqual([200, 'cancelled']);
    expect((await cancel(headers)).text).toBe(first.text);
    const again = await cancel();
    expect([again.status, again.code]).toEqual([400, 'order_not_cancellable']);
    expect(JSON.stringify(first.data)).not.toContain('barcode.');
  });

  test("of another visitor's order is 404", async () => {
    const { id } = await guestOrder();
    const { token } = await guestOrder();
    expect((await fixture.call('POST', `/orders/${id}/cancellation`, { token })).status).toBe(404);
    expect(fixture.orders.orders.get(id)?.state).toBe('confirmed');
  });
});

const branding = { colours: { accent: '#9b1c31', ink: '#ffffff', paper: '#1d1b2e' }, logo: null };
let token: string;
let ticketIds: string[];
beforeAll(async () => {
  Object.assign(fixture.pointOfSale, { branding });
  ({ token, ticketIds } = await buyThree());
});

test('the tickets of the login are a map by id, in pages', async () => {
  const { data, headers } = await fixture.call('GET', '/tickets?limit=2', { token });
  expect([Object.keys(data).length, headers.get('x-total-amount')]).toEqual([2, '3']);
  expect(headers.get('link')).toContain('offset=2&limit=2>; rel="next"');
  const [id = ''] = ticketIds;
  expect((await fixture.call('GET', `/tickets/${id}`, { token })).data).toMatchObject({
    id,
    status: 'not_printed',
    price: 4_500,
    currency: 'CHF',
    barcode: expect.any(String),
    beneficiaryFirstName: null,
  });
});

test('status is a filter, and an unknown one is 400', async () => {
  expect(Object.keys((await fixture.call('GET', '/tickets?status=printed', { token })).data)).toEqual([]);
  expect(Object.keys((await fixture.call('GET', '/tickets?status=not_printed', { token })).data)).toHaveLength(3);
  expect((await fixture.call('GET', '/tickets?status=torn', { token })).code).toBe('invalid_parameter');
});

test('the beneficiary can be set; for a printed ticket the answer is the replacing one', async () => {
  const [id = '', printed = ''] = ticketIds;
  const name = (ticketId: string, body: object) => fixture.call('PATCH', `/tickets/${ticketId}`, { token, body });
  const named = await name(id, { beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  expect(named.data).toMatchObject({ id, beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  expect((await name(id, { beneficiaryFirstName: null })).data.beneficiaryLastName).toBe('Martin');
  const trimmed = await name(id, { beneficiaryFirstName: ' Ana ', beneficiaryLastName: '' });
  expect(trimmed.data).toMatchObject({ beneficiaryFirstName: 'Ana', beneficiaryLastName: null });
  for (const blank of ['  ', '\u2800'])
    expect(await name(id, { beneficiaryFirstName: blank })).toMatchObject({ status: 400, code: 'validation_error' });
  fixture.tickets.setStatus(printed, 'printed');
  const replaced = await name(printed, { beneficiaryFirstName: 'Zoë' });
  expect([replaced.status, replaced.data.id === printed]).toEqual([200, false]);
});

test('a controlled ticket cannot be changed', async () => {
  const id = String(ticketIds[2]);
  fixture.tickets.setStatus(id, 'controlled');
  const { status, code } = await fixture.call('PATCH', `/tickets/${id}`, {
    token,
    body: { beneficiaryFirstName: 'A' },
  });
  expect([status, code]).toEqual([400, 'ticket_not_changeable']);
});

test('the ticket of another contact is 404', async () => {
  const stranger = await fixture.logIn(await fixture.user());
  const [id = ''] = ticketIds;
  const foreign = await fixture.call('GET', `/tickets/${id}`, { token: stranger });
  const unknown = await fixture.call('GET', '/tickets/tic_unknown', { token: stranger });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  const body = { beneficiaryFirstName: 'Eve' };
  expect((await fixture.call('PATCH', `/tickets/${id}`, { token: stranger, body })).status).toBe(404);
  expect((await fixture.call('GET', '/tickets', { token: stranger })).data).toEqual({});
});

describe('a document', () => {
  let token: string;
  let ticketIds: string[];
  let orderId: string;
  beforeAll(async () => {
    ({ token, ticketIds, orderId } = await buyThree());
    for (const id of ticketIds.slice(1)) fixture.tickets.setStatus(id, 'printed');
  });

  const documentOf = async (id = '') =>
    fixture.call('GET', `/tickets/${id}/document?lang=en`, { token, version: 'vexp' });

  test('the document of a ticket has name and look of the point of sale, the order and its buyer', async () => {
    const [, id = ''] = ticketIds;
    const { status, data } = await documentOf(id);
    expect([status, data.contentType]).toEqual([200, 'application/pdf']);
    expect(decodeShownContent(data.base64)).toEqual({
      ticketIds: [id],
      languages: expect.arrayContaining(['en']),
      pointOfSale: { name: fixture.pointOfSale.name, branding },
      order: { number: toOrderNumber(orderId), buyer: 'Ana Martin' },
    });
  });

  test('also without the buyer of a contact that is gone', async () => {
    const [, id = ''] = ticketIds;
    const contactNumber = String(fixture.tickets.tickets.get(id)?.contactNumber);
    const known = fixture.contacts.known.get(contactNumber);
    fixture.contacts.known.delete(contactNumber);
    expect(decodeShownContent((await documentOf(id)).data.base64).order.buyer).toBeNull();
    if (known) fixture.contacts.known.set(contactNumber, known);
  });

  test('the document of an order has a page for each printed ticket in its order, also behind a link', async () => {
    const { tickets } = fixture.tickets;
    const backwards = [...tickets].toReversed();
    tickets.clear();
    for (const [id, ticket] of backwards) tickets.set(id, ticket);
    const call = { token, version: 'vexp' } as const;
    const own = await fixture.call('GET', `/orders/${orderId}/document`, call);
    expect(decodeShownContent(own.data.base64)).toMatchObject({
      ticketIds: ticketIds.slice(1),
      order: { number: toOrderNumber(orderId) },
    });
    const { data: link } = await fixture.call('POST', `/orders/${orderId}/links`, { ...call, body: {} });
    const headers = { 'x-order-link': String(link.token) };
    const linked = await fixture.call('GET', '/order-links/current/document', { version: 'vexp', headers });
    expect(decodeShownContent(linked.data.base64).ticketIds).toEqual(ticketIds.slice(1));
  });

  test('a stranger gets neither', async () => {
    const stranger = await fixture.logIn(await fixture.user());
    for (const path of [`/orders/${orderId}/document`, `/tickets/${ticketIds[1]}/document`])
      expect((await fixture.call('GET', path, { token: stranger, version: 'vexp' })).status).toBe(404);
  });
});
