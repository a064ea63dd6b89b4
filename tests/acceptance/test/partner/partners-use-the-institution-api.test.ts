import { type Client, openClient, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authoriseDemoClient } from '../../src/product.ts';
import { must, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);
let anonymous: Client;
beforeAll(() => {
  anonymous = openClient(product.address);
});

describe('a partner reads the catalogue', () => {
  test('availabilities add up, and the demo fixtures match their names', async () => {
    const { soldOut, twoLeft, numbered } = product.demo.fixtures.opera ?? {};
    const availability = async (performanceId = '') =>
      (await full(`/svc/v3/catalog/performances/${performanceId}/availability`)).body.data.seatCategories as {
        capacity: number;
        free: number;
        held: number;
        sold: number;
      }[];
    const free = (categories: { free: number }[]) => categories.reduce((sum, category) => sum + category.free, 0);
    for (const fixture of [soldOut, twoLeft, numbered])
      for (const { capacity, free, held, sold } of await availability(fixture?.performanceId))
        expect(free + held + sold).toBe(capacity);
    expect(free(await availability(soldOut?.performanceId))).toBe(0);
    expect(free(await availability(twoLeft?.performanceId))).toBe(2);
  });
});

describe('the demo data', () => {
  test.each(['opera', 'museum'])(
    '%s has two users, one of them a member, and a point of sale with every payment method',
    async (institution) => {
      const client = await authoriseDemoClient(product, institution, 'full');
      const { items } = (await client('/svc/v3/catalog/points-of-sale')).body.data;
      expect(items).toMatchObject([
        { paymentMethods: ['stripe', 'on_account', 'external', 'simulated'], maxPlacesPerOrder: 8, holdMinutes: 15 },
      ]);
      const { data: provider } = (await client('/svc/v3/payment-providers/stripe')).body;
      expect(provider).toMatchObject({ mode: 'simulated', hasWebhookSecret: true, state: 'active' });
      const users = product.demo.users.filter(({ serviceHost }) => serviceHost === items[0].serviceHost);
      expect(users.map(({ member }) => member).toSorted()).toEqual([false, true]);
    },
  );
});

describe('permissions', () => {
  test.each(['/svc/v3/contacts/individuals', '/contacts/structures'])(
    'erasing a contact at %s needs contacts.sensitive:write beside contacts:write, before any look at the record',
    async (path) => {
      const writer = await authoriseDemoClient(product, 'opera', 'contacts-writer');
      const details = path.endsWith('structures') ? { name: 'École' } : { lastName: 'Martin' };
      const { body } = await writer(path, { method: 'POST', body: details });
      for (const number of [body.data.contactNumber, 'C0UNKNOWN']) {
        const reply = await writer(`${path}/${number}`, { method: 'DELETE' });
        expect(reply.status).toBe(403);
        expect(reply.body).toMatchObject({ status: 'forbidden', data: null });
        expect(reply.body.details).toContain('contacts.sensitive:write');
        expect(reply.headers['www-authenticate']).toContain('scope="contacts.sensitive:write"');
      }
      expect((await full(`${path}/${body.data.contactNumber}`, { method: 'DELETE' })).status).toBe(200);
    },
  );

  test('new bounds, a removed scope and a revoked token count within five seconds', async () => {
    const created = await full('/svc/v3/clients', {
      method: 'POST',
      body: { name: 'short-lived', scopes: ['catalog:read', 'contacts:read'] },
    });
    expect(created.status).toBe(201);
    const { clientId, clientSecret } = created.body.data;
    const form = (more: Record<string, string>) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...more }).toString(),
    });
    const token = (await anonymous('/auth/token', form({ grant_type: 'client_credentials' }))).body.access_token;
    const client = openClient(product.address, { headers: { authorization: `Bearer ${token}` } });
    expect((await client('/svc/v3/catalog')).status).toBe(200);
    expect((await client('/svc/v3/contacts/individuals')).status).toBe(200);
    // Ten times the promised five seconds.
    const until = (path: string, status: number) =>
      waitUntil(async () => (await client(path)).status === status, { what: `${path}: ${status}`, withinMs: 50_000 });
    const change = (body: object) => full(`/svc/v3/clients/${clientId}`, { method: 'PATCH', body });
    const made = await full('/svc/v3/contacts/individuals', { method: 'POST', body: { lastName: 'Martin' } });
    const contact = `/svc/v3/contacts/individuals/${made.body.data.contactNumber}`;
    expect((await client(contact)).status).toBe(200);
    await change({ bounds: { ownOrders: true } });
    await until(contact, 404);
    await change({ bounds: null });
    await until(contact, 200);
    await change({ scopes: ['catalog:read'] });
    await until('/svc/v3/contacts/individuals', 403);
    await anonymous('/auth/revoke', form({ token }));
    await until('/svc/v3/catalog', 401);
  });
});

describe('a reseller', () => {
  let reseller: Client;
  beforeAll(async () => {
    reseller = await authoriseDemoClient(product, 'opera', 'reseller');
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

  test('has its orders, their tickets, the contacts that it made or its orders name, and their events', async () => {
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
});
