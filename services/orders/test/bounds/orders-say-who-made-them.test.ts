import type { CallerUser } from '@boxoffice/identity';
import type { Message } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { type Call, describeOnEachEngine, type Order } from '../fixture/fixture.ts';
import { newOrder, pay } from '../fixture/orders.ts';
import { checkout, newCart, newContact } from '../fixture/shopper.ts';

const SHOP = { pointOfSale: 'tickets.opera.example' };

interface Announced {
  readonly event: { readonly type: string; readonly belongsTo?: object };
}

describeOnEachEngine('orders, payments and refunds say who made them', (fixture) => {
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
