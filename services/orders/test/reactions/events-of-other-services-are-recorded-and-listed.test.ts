import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { PerformanceOrders } from '../../src/cart/schemas.ts';
import type { Hall } from '../fixture/catalog.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  copyOrder,
  createCart,
  createCartId,
  createContact,
  createOrderInHall,
  postToShop,
  read,
  readCart,
  requireDone,
  type ShopOrder,
} from '../fixture/orders.ts';

type Page = Static<typeof PerformanceOrders>;

describeOnEachEngine('performances and contacts', (fixture) => {
  describe('events of other services are recorded', () => {
    const performanceCancelled = (performanceId: string) =>
      fixture.deliver('performance.cancelled', {
        performanceId,
        productId: 'prd_1',
        cancelledAt: '2027-03-01T10:15:00.000Z',
      });

    test('performance.cancelled cancels every live order with a place of it, also with a controlled ticket', async () => {
      const [hall, other] = [fixture.catalog.hall(20), fixture.catalog.hall(20)];
      const create = async (...items: object[]) => (await fixture.call('POST', '', { body: { items } })).data;
      const open = await create(hall.item());
      const second = await create(other.item(), hall.item());
      const added = await create(other.item());
      await fixture.call('POST', `/${added.id}/lines`, { body: { items: [hall.item()] } });
      const removed = await create(hall.item(), other.item());
      const line = removed.lines.find(({ place }) => hall.placeIds.includes(place.id));
      await fixture.call('DELETE', `/${removed.id}/lines/${line?.id}`);
      const inside = await create(hall.item());
      await fixture.confirm(`/${inside.id}`);
      await fixture.deliver('ticket.controlled', { orderId: inside.id, ticketId: 'tic_1' }, 2);
      const sold = await create(hall.item());
      await fixture.confirm(`/${sold.id}`);
      const elsewhere = await create(other.item());
      await performanceCancelled(hall.performanceId);
      const stateOf = async ({ id }: { id: string }) => (await read(fixture, `/${id}`)).state;
      expect(await Promise.all([open, second, added, sold, inside].map(stateOf))).toEqual(
        Array.from({ length: 5 }, () => 'cancelled'),
      );
      expect(await Promise.all([removed, elsewhere].map(stateOf))).toEqual(['open', 'open']);
      const { version } = await read(fixture, `/${open.id}`);
      await performanceCancelled(hall.performanceId);
      expect((await read(fixture, `/${open.id}`)).version).toBe(version);
    });

    test('performance.cancelled during a hold cancels the new order, and the order that gets more lines', async () => {
      const [hall, other] = [fixture.catalog.hall(3), fixture.catalog.hall(1)];
      const { data: open } = await fixture.call('POST', '', { body: { items: [other.item()] } });
      fixture.catalog.before.set('holdPlaces', () => performanceCancelled(hall.performanceId));
      const created = await fixture.call('POST', '', { body: { items: [hall.item()] }, key: 'made-meanwhile' });
      const added = await fixture.call('POST', `/${open.id}/lines`, { body: { items: [hall.item()] } });
      fixture.catalog.before.clear();
      expect([created.status, added.status]).toEqual([201, 201]);
      for (const { id } of [created.data, open]) expect((await read(fixture, `/${id}`)).state).toBe('cancelled');
      const again = await fixture.call('POST', '', { body: { items: [hall.item()] }, key: 'made-meanwhile' });
      expect(again.text).toBe(created.text);
    });

    test('performance.cancelled cancels more orders than one page', async () => {
      const { hall, order } = await createOrderInHall(fixture, 1);
      const ids = [order.id, ...(await copyOrder(fixture, order.id, 209))];
      await performanceCancelled(hall.performanceId);
      await waitUntil(() => fixture.facts.filter(({ type }) => type === 'order.cancelled').length >= 210);
      const states = await Promise.all(ids.map(async (id) => (await read(fixture, `/${id}`)).state));
      expect(new Set(states)).toEqual(new Set(['cancelled']));
    });

    test('contact.erased deletes idempotency records about the contact, and orders keep its number', async () => {
      const contactNumber = `C${randomUUID()}`;
      fixture.contacts.known.set(contactNumber, null);
      const hall = fixture.catalog.hall(5);
      const call = { body: { contactNumber, items: [hall.item()] }, key: randomUUID() };
      const first = await fixture.call('POST', '', call);
      expect((await fixture.call('POST', '', call)).headers.get('idempotency-replayed')).toBe('true');
      fixture.contacts.known.set(contactNumber, '2027-01-01T00:00:00.000Z');
      await fixture.deliver('contact.erased', { contactNumber, erasedAt: '2027-01-01T00:00:00.000Z' });
      const again = await fixture.call('POST', '', call);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([422, null]);
      expect(await read(fixture, `/${first.data.id}`)).toMatchObject({ contactNumber });
      const patch = { body: { contactNumber, externalReference: 'x' } };
      expect((await fixture.call('PATCH', `/${first.data.id}`, patch)).status).toBe(200);
    });
  });

  describe('the orders of a performance', () => {
    const all = async ({ performanceId }: Hall) => {
      const found: Page['orders'][number][] = [];
      for (let after = ''; ; ) {
        const query = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
        const { data } = await fixture.shop<Page>('GET', `/internal/shop/performances/${performanceId}/orders${query}`);
        found.push(...data.orders);
        if (data.next === null) return found;
        after = data.next;
      }
    };
    const buy = async (hall: Hall, ...others: readonly Hall[]): Promise<ShopOrder> => {
      const { id } = requireDone(
        await add(
          fixture,
          createCartId(),
          [hall, ...others].map((one) => one.item(1)),
        ),
      );
      return requireDone(await buyCart(fixture, `/${id}`, { contactNumber: createContact(fixture) }));
    };

    test('are the sold ones of shoppers, each once, also those that began with another performance', async () => {
      const [hall, other] = [fixture.catalog.hall(10), fixture.catalog.hall(10)];
      const [first, second, third] = [await buy(hall), await buy(hall, other), await buy(other, hall)];
      await buy(other);
      await createCart(fixture, 1, hall);
      const cancelled = await buy(hall);
      await postToShop(fixture, `/${cancelled.id}/cancellation`, { requestId: 'once' });
      // A partner writes to the buyers of its own orders.
      const { data } = await fixture.call('POST', '', {
        body: { items: [hall.item(1)], pointOfSale: 'tickets.opera.example' },
      });
      expect((await fixture.confirm(`/${data.id}`)).data.state).toBe('confirmed');
      const found = await all(hall);
      expect(found).toHaveLength(3);
      expect(found).toEqual(
        expect.arrayContaining(
          [first, second, third].map(({ id, contactNumber }) => ({
            id,
            contactNumber,
            pointOfSale: 'tickets.opera.example',
          })),
        ),
      );
    });

    test('follow over several pages', async () => {
      const hall = fixture.catalog.hall(1);
      const { id: first } = await buy(hall);
      const ids = [first, ...(await copyOrder(fixture, first, 204))];
      expect((await all(hall)).map(({ id }) => id).sort()).toEqual(ids.sort());
    });

    test('an order says whether it was cancelled with a performance', async () => {
      const hall = fixture.catalog.hall(10);
      const [lost, unwanted] = [await buy(hall), await buy(hall)];
      await postToShop(fixture, `/${unwanted.id}/cancellation`, { requestId: 'once' });
      await fixture.deliver('performance.cancelled', { performanceId: hall.performanceId });
      expect(await readCart(fixture, `/${lost.id}`)).toMatchObject({ state: 'cancelled', performanceCancelled: true });
      expect(await readCart(fixture, `/${unwanted.id}`)).not.toHaveProperty('performanceCancelled');
      expect((await createOrderInHall(fixture)).order).not.toHaveProperty('performanceCancelled');
    });

    test('an order that has others, too, asks once for a mail about its returned lines; one of a partner does not', async () => {
      const [hall, other] = [fixture.catalog.hall(10), fixture.catalog.hall(10)];
      const { id, contactNumber } = await buy(hall, other);
      const body = { items: [hall.item(1), other.item(1)], pointOfSale: 'tickets.opera.example', contactNumber };
      const { data: partners } = await fixture.call('POST', '', { body });
      await fixture.confirm(`/${partners.id}`);
      for (let times = 1; times <= 2; times += 1)
        await fixture.deliver('performance.cancelled', { performanceId: hall.performanceId });
      const [change] = (await fixture.document(id))?.changes ?? [];
      const requestsOf = (orderId: string) =>
        fixture.factsOf(orderId).flatMap(({ type, data }) => (type === 'order.mail_requested' ? [data] : []));
      await waitUntil(() => requestsOf(id).length > 0);
      const about = { kind: 'lines_returned', changeId: change?.id, requestedAt: expect.any(String) };
      expect(requestsOf(id)).toEqual([{ orderId: id, pointOfSale: 'tickets.opera.example', contactNumber, ...about }]);
      expect((await read(fixture, `/${partners.id}`)).lines).toHaveLength(1);
      expect(requestsOf(partners.id)).toEqual([]);
    });
  });
});
