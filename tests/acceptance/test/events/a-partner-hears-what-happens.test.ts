import { type Json, openClient, openVisitor, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authoriseDemoClient } from '../../src/product.ts';
import { must as requireData, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);
let cursor: string;
beforeAll(async () => {
  cursor = (await full('/svc/v3/events')).body.data.nextCursor;
});

const must = (path: string, method?: string, body?: object) => requireData(full, path, method, body);
const post = (path: string, body: object = {}) => must(path, 'POST', body);

/** The events of a resource so far, once there are as many. */
const eventsOf = (resource: string, count: number): Promise<Json[]> =>
  waitUntil(
    async () => {
      const { items } = await must(`/svc/v3/events?after=${cursor}&resource=${resource}&limit=500&wait=5`);
      return items.length >= count ? items : undefined;
    },
    { what: `${count} events of ${resource}` },
  );

const typesOf = async (resource: string, ...types: string[]) =>
  expect((await eventsOf(resource, types.length)).map(({ type }) => type)).toEqual(types);

const items = async (count: number) => {
  const { performanceId } = product.demo.fixtures.opera?.numbered ?? {};
  const { prices } = await must(`/svc/v3/catalog/performances/${performanceId}`);
  const [{ seatCategoryId, tariffId }] = prices;
  return Array.from({ length: count }, () => ({ performanceId, seatCategoryId, tariffId }));
};

describe('a partner hears', () => {
  test('of an order from its creation to the end of its cancellation, of its payments and refunds', async () => {
    const { id } = await post('/svc/v3/orders', { items: await items(1) });
    const order = `/svc/v3/orders/${id}`;
    const { amount } = (await must(order)).lines[0];
    const externalReference = `agency-${id}`;
    for (let turn = 0; turn < 2; turn += 1) await must(order, 'PATCH', { externalReference });
    const failing = await post(`${order}/payments`, { method: 'card', amount: 1, status: 'pending' });
    // Another one changes nothing that the order shows, and is heard of all the same.
    const another = await post(`${order}/payments`, { method: 'card', amount: 1, status: 'pending' });
    for (const one of [another, failing]) await must(`${order}/payments/${one.id}`, 'PATCH', { status: 'failed' });
    const paid = await post(`${order}/payments`, { method: 'card', amount, status: 'captured' });
    await waitUntil(async () => (await must(order)).state === 'confirmed');
    const refund = await post(`${order}/refunds`, { method: 'card', amount: 1 });
    const [line] = (await must(order)).lines;
    await post(`${order}/cancellation`, { reason: 'a text that no event shows' });
    await typesOf(
      id,
      'order.created',
      'order.changed',
      'order.changed',
      'order.changed',
      'order.confirmed',
      'order.cancelled',
      'order.settled',
    );
    for (const one of [another, failing]) await typesOf(one.id, 'payment.failed');
    await typesOf(paid.id, 'payment.recorded');
    await typesOf(refund.id, 'refund.recorded');
    await typesOf(line.ticketId, 'ticket.issued', 'ticket.cancelled');
    const events = await eventsOf(id, 7);
    const references = events.map(({ data }) => data.externalReference);
    expect(references).toEqual([null, ...Array.from({ length: 6 }, () => externalReference)]);
    const versions = events.map(({ resource }) => resource.version);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(JSON.stringify(events)).not.toContain('a text that no event shows');
    const [recorded] = await eventsOf(paid.id, 1);
    expect(recorded?.data).toEqual({ orderId: id, status: 'captured', amount, currency: 'CHF' });
    expect((await full(new URL(recorded?.resource.url ?? '').pathname)).status).toBe(200);
  });

  test('of a ticket that is printed, reverted, replaced, controlled', async () => {
    const { id } = await post('/svc/v3/orders', { items: await items(1) });
    await post(`/svc/v3/orders/${id}/confirmation`, { onAccount: true });
    const ticketId = (await must(`/svc/v3/orders/${id}`)).lines[0].ticketId;
    const ticket = `/svc/v3/tickets/${ticketId}`;
    await must(ticket, 'PATCH', { beneficiary: { lastName: 'Martin' } });
    await post(`${ticket}/printing`);
    await must(`${ticket}/printing`, 'DELETE');
    await post(`${ticket}/printing`);
    const next = await post(`${ticket}/replacement`);
    await post(`/svc/v3/tickets/${next.id}/control`, { gate: 'North' });
    await must(`/svc/v3/tickets/${next.id}/control`, 'DELETE');
    await typesOf(
      ticketId,
      'ticket.issued',
      'ticket.changed',
      'ticket.printed',
      'ticket.printing_reverted',
      'ticket.printed',
      'ticket.replaced',
    );
    await typesOf(next.id, 'ticket.issued', 'ticket.controlled', 'ticket.control_reverted');
    await typesOf(id, 'order.created', 'order.confirmed');
    const all = [...(await eventsOf(ticketId, 6)), ...(await eventsOf(next.id, 3))];
    expect(JSON.stringify(all)).not.toContain('Martin');
    for (const { barcode } of [await must(ticket), next]) expect(JSON.stringify(all)).not.toContain(barcode);
  });

  test('once of a ticket that is bought with a name, which it has from its first event on', async () => {
    const guests = ['Martin', 'Moreau'].map((lastName) => ({ firstName: 'Ana', lastName }));
    const [item] = await items(1);
    const bought: string[] = [];
    for (let order = 0; order < 4; order += 1) {
      const { id, due } = await post('/svc/v3/orders', { items: [{ ...item, quantity: 2, beneficiaries: guests }] });
      await post(`/svc/v3/orders/${id}/payments`, { method: 'card', amount: due, status: 'captured' });
      bought.push(id);
    }
    const [{ serviceHost, login, password, contactNumber }] = product.demo.users.filter(({ serviceHost: host }) =>
      product.demo.pointsOfSale.some((one) => one.serviceHost === host && one.institution === 'opera'),
    ) as [(typeof product.demo.users)[0]];
    const visitor = openVisitor(openClient(product.address), serviceHost);
    const shop = (path: string, method: string, body: object) => requireData(visitor, `/tnwr/v1${path}`, method, body);
    await shop('/sessions', 'POST', { login, password });
    const cart = await shop('/shopping-cart/items', 'POST', item as object);
    const [itemId] = Object.keys(cart.items);
    const name = { beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Moreau' };
    await shop(`/shopping-cart/items/${itemId}`, 'PATCH', name);
    const payment = { contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' };
    bought.push((await shop('/orders', 'POST', payment)).id);
    for (const id of bought) {
      const { lines } = await must(`/svc/v3/orders/${id}`);
      for (const { ticketId, beneficiary } of lines) {
        await typesOf(ticketId, 'ticket.issued');
        const ticket = await must(`/svc/v3/tickets/${ticketId}`);
        expect(ticket.beneficiary).toEqual(beneficiary);
        expect(beneficiary?.firstName).toBe('Ana');
        // A change that has an event of its own comes after whatever the issue has caused. A shop's ticket is
        // electronic.
        const [change, type] =
          ticket.status === 'printed' ? ['control', 'ticket.controlled'] : ['printing', 'ticket.printed'];
        await post(`/svc/v3/tickets/${ticketId}/${change}`);
        await typesOf(ticketId, 'ticket.issued', type);
        expect(JSON.stringify(await eventsOf(ticketId, 2))).not.toMatch(/Martin|Moreau/);
      }
    }
  });

  test('of a contact, without its data and not of its sensitive data', async () => {
    const contacts = '/svc/v3/contacts/individuals';
    const { contactNumber } = await post(contacts, { lastName: 'Martin', phone: '+41 22 555 01 03' });
    await must(`${contacts}/${contactNumber}`, 'PATCH', { phone: '+41 22 555 01 04' });
    await must(`${contacts}/${contactNumber}`, 'PATCH', { phone: '+41 22 555 01 04' });
    await must(`${contacts}/${contactNumber}/sensitive`, 'PUT', { dateOfBirth: '1980-01-01' });
    await must(`${contacts}/${contactNumber}`, 'DELETE');
    await typesOf(contactNumber, 'contact.created', 'contact.changed', 'contact.erased');
    const text = JSON.stringify(await eventsOf(contactNumber, 3));
    for (const personal of ['Martin', '+41', '1980']) expect(text).not.toContain(personal);
  });

  test('of products and performances, and of a cancellation with what it takes along', async () => {
    const [tariff] = (await must('/svc/v3/catalog/tariffs')).items;
    const startDate = '2037-01-01T19:00:00.000Z';
    const performance = {
      startDate,
      timeZone: 'Europe/Zurich',
      venue: { name: 'Opéra' },
      seatCategories: [{ code: 'A', name: { en: 'Stalls' }, capacity: 2, numbered: false }],
      prices: [{ seatCategory: 'A', tariffId: tariff.id, amount: 1_000 }],
    };
    const code = `E${Math.random().toString(36).slice(2)}`;
    const { id, performances } = await post('/svc/v3/catalog/products', {
      code,
      type: 'show',
      name: { en: 'A show' },
      performances: [performance],
    });
    const performanceId = performances[0].id;
    await must(`/svc/v3/catalog/performances/${performanceId}`, 'PATCH', { durationMinutes: 90 });
    for (const state of ['validated', 'validated', 'cancelled'])
      await must(`/svc/v3/catalog/products/${id}`, 'PATCH', { state });
    await typesOf(id, 'product.created', 'product.changed', 'product.changed');
    await typesOf(performanceId, 'performance.created', 'performance.changed', 'performance.cancelled');
  });

  test('in a sequence without gaps, all of it from the start', async () => {
    const sequences: number[] = [];
    for (let after = 'start'; ; ) {
      const { items: page, nextCursor } = await must(`/svc/v3/events?after=${after}&limit=500`);
      if (page.length === 0) break;
      sequences.push(...page.map(({ sequence }: Json) => sequence));
      after = nextCursor;
    }
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });

  test('within the bounds of its client, of what it made and of nothing else', async () => {
    const reseller = await authoriseDemoClient(product, 'opera', 'reseller');
    const own = (path: string, method?: string, body?: object) => requireData(reseller, path, method, body);
    const { nextCursor: after } = await own('/svc/v3/events');
    const { contactNumber } = await own('/svc/v3/contacts/individuals', 'POST', { lastName: 'Keller' });
    const foreign = await post('/svc/v3/orders', { items: await items(1) });
    await post(`/svc/v3/orders/${foreign.id}/confirmation`, { onAccount: true });
    const pointOfSale = product.demo.pointsOfSale.find(({ institution }) => institution === 'opera')?.serviceHost;
    const order = { items: await items(1), contactNumber, pointOfSale };
    const { id, due } = await own('/svc/v3/orders', 'POST', order);
    await own(`/svc/v3/orders/${id}/payments`, 'POST', { method: 'card', amount: due, status: 'captured' });
    const ticketId = await waitUntil(async () => (await own(`/svc/v3/orders/${id}`)).lines[0].ticketId ?? undefined);
    // Each service relays its own facts: the contact's may come last.
    await Promise.all([eventsOf(contactNumber, 1), eventsOf(ticketId, 1), eventsOf(id, 2)]);
    const heard: Json[] = (await own(`/svc/v3/events?after=${after}&limit=500`)).items;
    expect(new Set(heard.map(({ resource }) => resource.id))).toEqual(new Set([contactNumber, id, ticketId]));
    expect(heard.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['contact.created', 'order.created', 'order.confirmed', 'ticket.issued']),
    );
    for (const { id: eventId } of await eventsOf(foreign.id, 2))
      expect((await reseller(`/svc/v3/events/${eventId}`)).status).toBe(404);

    const webhook = { url: 'http://127.0.0.1:9/hook', types: ['contact.*', 'order.*', 'ticket.*'], state: 'paused' };
    const { webhookId } = await own('/svc/v3/webhooks', 'POST', webhook);
    const { count } = await own(`/svc/v3/webhooks/${webhookId}/redeliveries`, 'POST', { after });
    expect(count).toBe(heard.length);
    const { webhookId: others } = await post('/svc/v3/webhooks', webhook);
    expect((await own('/svc/v3/webhooks')).items).toHaveLength(1);
    expect((await reseller(`/svc/v3/webhooks/${others}`)).status).toBe(404);
  });

  test('of nothing that a role may not read', async () => {
    const reader = await authoriseDemoClient(product, 'opera', 'contacts-writer');
    expect((await reader('/svc/v3/events')).status).toBe(403);
  });
});
