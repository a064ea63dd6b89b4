import type { CallerUser } from '@boxoffice/identity';
import type { Message } from '@boxoffice/messaging';
import type { OutboxEvent } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { type Call, describeOnEachEngine, type Order } from '../fixture/fixture.ts';
import { checkout, newCart, newContact, newOrder, pay } from '../fixture/orders.ts';

const SHOP = { pointOfSale: 'tickets.opera.example' };

interface Announced {
  readonly event: { readonly type: string; readonly belongsTo?: object };
}

describeOnEachEngine('makers and contacts', (fixture) => {
  describe('orders, payments and refunds say who made them', () => {
    const user: CallerUser = { id: 'usr_1', role: 'manager', contact: null, pointsOfSale: [] };
    const refund = (path: string, call: Call = {}) =>
      fixture.call('POST', `${path}/refunds`, { body: { method: 'card', amount: 1 }, ...call });

    test('the client, with the user who is signed in at it; each record its own', async () => {
      const { order, path } = await newOrder(fixture, 2, { client: 'agency', user });
      const [agency, till] = [{ clientId: 'agency', userId: user.id }, { clientId: 'till' }];
      expect(order).toMatchObject({ createdBy: agency });
      expect((await pay(fixture, path, {}, { client: 'till' })).data).toMatchObject({ createdBy: till });
      expect((await refund(path, { client: 'till', user: null })).data).toMatchObject({ createdBy: till });
      expect((await fixture.call('GET', path)).data).toMatchObject({ createdBy: agency });
      for (const records of ['payments', 'refunds'])
        expect((await fixture.call('GET', `${path}/${records}`)).data).toMatchObject({ items: [{ createdBy: till }] });
    });

    test('the point of sale of a shopper', async () => {
      const { path } = await newCart(fixture);
      await checkout(fixture, path, { contactNumber: newContact(fixture) });
      expect((await fixture.call('GET', path)).data).toMatchObject({ createdBy: SHOP });
      expect((await fixture.call('GET', `${path}/payments`)).data).toMatchObject({ items: [{ createdBy: SHOP }] });
    });

    test('null in what an earlier release has stored', async () => {
      const { order, path } = await newOrder(fixture);
      await pay(fixture, path);
      await refund(path);
      await fixture.context.orders.of('opera').update(order.id, ({ createdBy: _, ...rest }) => ({
        next: {
          ...rest,
          payments: rest.payments.map(({ createdBy: __, ...payment }) => payment),
          refunds: rest.refunds.map(({ createdBy: __, ...record }) => record),
        },
      }));
      expect((await fixture.call('GET', path)).data).toMatchObject({ createdBy: null });
      for (const records of ['payments', 'refunds'])
        expect((await fixture.call('GET', `${path}/${records}`)).data).toMatchObject({ items: [{ createdBy: null }] });
      const list = await fixture.call<{ items: Order[] }>('GET', '?limit=500&createdBy=partner');
      expect(list.data.items.map(({ id }) => id)).not.toContain(order.id);
    });

    test('a list can have those of one client', async () => {
      const { order } = await newOrder(fixture, 1, { client: 'searched' });
      await newOrder(fixture, 1, { client: 'other' });
      const list = async (client: string) =>
        (await fixture.call<{ items: Order[] }>('GET', `?createdBy=${client}`)).data.items.map(({ id }) => id);
      expect([await list('searched'), await list('unknown')]).toEqual([[order.id], []]);
    });

    test('nothing changes it', async () => {
      const { path } = await newOrder(fixture);
      const change = (clientId: string) => fixture.call('PATCH', path, { body: { createdBy: { clientId } } });
      expect([(await change('partner')).status, (await change('another')).code]).toEqual([200, 'validation_error']);
    });

    test('the events of an order and its money name its client and its point of sale, also when they are sent again', async () => {
      const { order, path } = await newOrder(fixture, 2, { client: 'agency' });
      await pay(fixture, path, {}, { client: 'till' });
      await refund(path);
      const { cart, path: bought } = await newCart(fixture);
      await checkout(fixture, bought, { contactNumber: newContact(fixture) });
      const announced: Pick<Message, 'type' | 'key' | 'data'>[] = [...fixture.announced];
      for await (const fact of currentFacts.read(fixture.store)) announced.push(fact);
      const owners = (id: string) =>
        announced
          .filter(({ type, key }) => type === 'order.recorded' && key === id)
          .map(({ data }) => (data as Announced).event)
          .map(({ type, belongsTo }) => [type, JSON.stringify(belongsTo)]);
      const own = JSON.stringify({ clientIds: ['agency'], pointOfSale: null });
      const types = ['order.created', 'payment.recorded', 'order.confirmed', 'refund.recorded', 'order.confirmed'];
      expect(owners(order.id)).toEqual(types.map((type) => [type, own]));
      const shops = owners(cart.id).map(([, belongsTo]) => belongsTo);
      expect(new Set(shops)).toEqual(new Set([JSON.stringify({ clientIds: [], ...SHOP })]));
    });

    test('the fact of a confirmation says it', async () => {
      const { order, path } = await newOrder(fixture, 1, { client: 'agency', user });
      await fixture.confirm(path);
      expect(fixture.factsOf(order.id).map(({ data }) => data)).toMatchObject([
        { createdBy: { clientId: 'agency', userId: 'usr_1' } },
      ]);
    });
  });

  describe('a contact that an order of a client names is published', () => {
    /** What the writes of a command publish of contacts. */
    const namedBy = async (command: () => Promise<unknown>): Promise<object[]> => {
      const events: OutboxEvent[] = [];
      const unsubscribe = fixture.store.outbox.onCommitted((committed) => events.push(...committed));
      await command();
      unsubscribe();
      return events.filter(({ type }) => type === 'order.contact_named').map(({ data }) => data);
    };

    /** What the present facts say of the order's contact. */
    const currentlyNamedBy = async (orderId: string): Promise<object[]> => {
      const named: object[] = [];
      for await (const fact of currentFacts.read(fixture.store))
        if (fact.key === orderId && fact.type === 'order.contact_named') named.push(fact.data);
      return named;
    };

    test('once per change, with the write that names it, another or none, whichever client writes', async () => {
      const [first, second] = [newContact(fixture), newContact(fixture)];
      const body = { contactNumber: first, items: [fixture.catalog.hall(1).item(1)] };
      let orderId = '';
      const made = await namedBy(async () => {
        orderId = (await fixture.call('POST', '', { client: 'agency', body })).data.id;
      });
      const path = `/${orderId}`;
      expect(made).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
      const change = (changes: object) =>
        namedBy(() =>
          fixture.call('PATCH', path, { client: 'till', body: changes }).then(({ status }) => expect(status).toBe(200)),
        );
      expect(await change({ externalReference: 'R-1', contactNumber: first })).toEqual([]);
      expect(await change({ contactNumber: second })).toEqual([{ orderId, contactNumber: second, clientId: 'agency' }]);
      expect(await namedBy(() => fixture.confirm(path))).toEqual([]);
      expect(await change({ contactNumber: null })).toEqual([{ orderId, contactNumber: null, clientId: 'agency' }]);
      expect(await currentlyNamedBy(orderId)).toEqual([{ orderId, contactNumber: null, clientId: 'agency' }]);
      expect(await change({ externalReference: 'R-2' })).toEqual([]);
      expect(await change({ contactNumber: first })).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
      expect(await currentlyNamedBy(orderId)).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
    });

    test('not of an order without a contact, nor of a shopper’s', async () => {
      let orderId = '';
      const made = async () => {
        orderId = (await newOrder(fixture, 1, { client: 'agency' })).order.id;
      };
      expect(await namedBy(made)).toEqual([]);
      expect(await currentlyNamedBy(orderId)).toEqual([]);
      const bought = async () => {
        const { path } = await newCart(fixture);
        await checkout(fixture, path, { contactNumber: newContact(fixture) });
      };
      expect(await namedBy(bought)).toEqual([]);
    });
  });
});
