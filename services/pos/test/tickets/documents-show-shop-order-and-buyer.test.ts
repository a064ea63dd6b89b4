import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { numberOf } from '../fixture/orders.ts';
import { shownIn } from '../fixture/others.ts';
import { asUser, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
let token: string;
let ticketIds: string[];
let orderId: string;
const branding = { colours: { accent: '#9b1c31', ink: '#ffffff', paper: '#1d1b2e' }, logo: null };
beforeAll(async () => {
  Object.assign(fixture.pointOfSale, { branding });
  const user = await fixture.user();
  token = await fixture.logIn(user);
  const { fill, buy } = shopperOf(fixture);
  await fill(token, { quantity: 3 });
  orderId = String((await buy(token, asUser(user))).data.id);
  ticketIds = [...fixture.tickets.tickets.keys()];
  for (const id of ticketIds.slice(1)) fixture.tickets.setStatus(id, 'printed');
});

const documentOf = async (id = '') =>
  fixture.call('GET', `/tickets/${id}/document?lang=en`, { token, version: 'vexp' });

test('the document of a ticket has name and look of the point of sale, the order and its buyer', async () => {
  const [, id = ''] = ticketIds;
  const { status, data } = await documentOf(id);
  expect([status, data.contentType]).toEqual([200, 'application/pdf']);
  expect(shownIn(data.base64)).toEqual({
    ticketIds: [id],
    languages: expect.arrayContaining(['en']),
    pointOfSale: { name: fixture.pointOfSale.name, branding },
    order: { number: numberOf(orderId), buyer: 'Ana Martin' },
  });
});

test('also without the buyer of a contact that is gone', async () => {
  const [, id = ''] = ticketIds;
  const contactNumber = String(fixture.tickets.tickets.get(id)?.contactNumber);
  const known = fixture.contacts.known.get(contactNumber);
  fixture.contacts.known.delete(contactNumber);
  expect(shownIn((await documentOf(id)).data.base64).order.buyer).toBeNull();
  if (known) fixture.contacts.known.set(contactNumber, known);
});

test('the document of an order has a page for each printed ticket in its order, also behind a link', async () => {
  const { tickets } = fixture.tickets;
  const backwards = [...tickets].toReversed();
  tickets.clear();
  for (const [id, ticket] of backwards) tickets.set(id, ticket);
  const call = { token, version: 'vexp' } as const;
  const own = await fixture.call('GET', `/orders/${orderId}/document`, call);
  expect(shownIn(own.data.base64)).toMatchObject({
    ticketIds: ticketIds.slice(1),
    order: { number: numberOf(orderId) },
  });
  const { data: link } = await fixture.call('POST', `/orders/${orderId}/links`, { ...call, body: {} });
  const headers = { 'x-order-link': String(link.token) };
  const linked = await fixture.call('GET', '/order-links/current/document', { version: 'vexp', headers });
  expect(shownIn(linked.data.base64).ticketIds).toEqual(ticketIds.slice(1));
});

test('a stranger gets neither', async () => {
  const stranger = await fixture.logIn(await fixture.user());
  for (const path of [`/orders/${orderId}/document`, `/tickets/${ticketIds[1]}/document`])
    expect((await fixture.call('GET', path, { token: stranger, version: 'vexp' })).status).toBe(404);
});
