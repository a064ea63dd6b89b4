import { type Client, waitUntil } from '@boxoffice/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { authorised } from '../../src/product.ts';
import { must, usePartner, useProduct } from '../product.ts';

const product = useProduct();
const full = usePartner(product);
let reseller: Client;
beforeAll(async () => {
  reseller = await authorised(product, 'opera', 'reseller');
});

const CONTACTS = '/svc/v3/contacts/individuals';

/** An order of one ticket at the point of sale of the opera. */
const orderBy = async (client: Client, more: object = {}): Promise<string> => {
  const { numbered } = product.demo.fixtures.opera ?? {};
  const { id: performanceId, prices } = await must(full, `/svc/v3/catalog/performances/${numbered?.performanceId}`);
  const [{ seatCategoryId, tariffId }] = prices;
  const pos = product.demo.pointsOfSale.find(({ institution }) => institution === 'opera');
  const items = [{ performanceId, seatCategoryId, tariffId }];
  const { id } = await must(client, '/svc/v3/orders', 'POST', { pointOfSale: pos?.serviceHost, items, ...more });
  await must(full, `/svc/v3/orders/${id}/confirmation`, 'POST', { onAccount: true });
  return id;
};

const contactBy = async (client: Client): Promise<string> =>
  (await must(client, CONTACTS, 'POST', { lastName: 'Martin' })).contactNumber;

test('a reseller has its orders, their tickets, the contacts that it made or its orders name, and their events', async () => {
  const [own, named, foreign] = [await contactBy(reseller), await contactBy(full), await contactBy(full)];
  const order = await orderBy(reseller, { contactNumber: own });
  const other = await orderBy(full, { contactNumber: foreign });
  const ticketOf = async (id: string) => (await must(full, `/svc/v3/tickets?orderId=${id}`)).items[0].id;
  const [ticket, otherTicket] = [await ticketOf(order), await ticketOf(other)];

  const statuses = async (...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await reseller(`/svc/v3/${path}`)).status));
  const about = (...[orderId, ticketId, number]: string[]) => [
    `orders/${orderId}`,
    `tickets/${ticketId}`,
    `tickets/${ticketId}/document`,
    `contacts/individuals/${number}`,
  ];
  expect(await statuses(...about(order, ticket, own))).toEqual([200, 200, 200, 200]);
  expect(await statuses(...about(other, otherTicket, foreign))).toEqual([404, 404, 404, 404]);
  const idsIn = async (path: string, name: string) =>
    (await must(reseller, `/svc/v3/${path}`)).items.map((item: Record<string, unknown>) => item[name]);
  expect(await idsIn('orders', 'id')).toEqual([order]);
  expect(await idsIn('tickets', 'id')).toEqual([ticket]);
  expect(await idsIn('contacts/individuals', 'contactNumber')).toEqual([own]);

  const version = async () => (await full(`${CONTACTS}/${named}`)).headers.etag;
  const before = await version();
  await must(full, `/svc/v3/orders/${order}`, 'PATCH', { contactNumber: named });
  const statusIs = (status: number) => async () => (await reseller(`${CONTACTS}/${named}`)).status === status;
  await waitUntil(statusIs(200), { what: 'the contact that the order names', withinMs: 60_000 });
  expect(await version()).toBe(before);
  expect(await idsIn('contacts/individuals', 'contactNumber')).toEqual([own, named]);

  const resources = new Set<string>();
  const hasLast = async () => {
    const { items } = await must(reseller, '/svc/v3/events?after=start&limit=500&types=order.*,ticket.*,contact.*');
    for (const { resource } of items) resources.add(resource.id);
    return items.some(({ type }: { type: string }) => type === 'order.changed');
  };
  await waitUntil(hasLast, { what: 'the events of the order', withinMs: 60_000 });
  for (const id of [order, ticket, own]) expect(resources).toContain(id);
  for (const id of [other, otherTicket, foreign]) expect(resources).not.toContain(id);

  await must(full, `/svc/v3/orders/${order}`, 'PATCH', { contactNumber: null });
  await waitUntil(statusIs(404), { what: 'the end of the contact that no order names any more', withinMs: 60_000 });
  expect(await version()).toBe(before);
  expect(await idsIn('contacts/individuals', 'contactNumber')).toEqual([own]);
});
