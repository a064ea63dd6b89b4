import { randomUUID } from 'node:crypto';
import type { ChangesPage } from '@boxoffice/http';
import type { CallerUser } from '@boxoffice/identity';
import type { Message } from '@boxoffice/messaging';
import { startCompletion } from '@boxoffice/service';
import { collection, type OutboxEvent } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { deriveOrderNumber } from '../../src/ids.ts';
import { type OrderDocument, ordersCollection } from '../../src/store.ts';
import { type Call, describeOnEachEngine, type Fixture, type Order, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCart,
  createCartId,
  createContact,
  createOrderInHall,
  pay,
  read,
  requireDone,
} from '../fixture/orders.ts';

type Page = ChangesPage<Order>;

const idsOf = async (fixture: Fixture, query: string, institution = 'opera'): Promise<readonly string[]> =>
  (await fixture.call<Page>('GET', `?${query}`, { institution })).data.items.map(({ id }) => id);

const refer = (fixture: Fixture, { path }: { readonly path: string }, externalReference: string | null) =>
  fixture.call('PATCH', path, { body: { externalReference } });

test('numbers have 8 characters, none that people confuse, each as often as any other', () => {
  const numbers = Array.from({ length: 8_000 }, () => deriveOrderNumber(`ord_${randomUUID()}`));
  expect(numbers.filter((number) => !/^[a-km-np-z2-9]{8}$/.test(number))).toEqual([]);
  expect(new Set(numbers).size).toBe(numbers.length);
  const counts = new Map<string, number>();
  for (const letter of numbers.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(32);
  // 2,000 of each are expected, with a standard deviation of 44.
  expect([...counts.values()].filter((count) => Math.abs(count - 2_000) > 350)).toEqual([]);
});

const SHOP = { pointOfSale: 'tickets.opera.example' };

interface Announced {
  readonly event: { readonly type: string; readonly belongsTo?: object };
}

describeOnEachEngine('numbers, makers and contacts', (fixture) => {
  describe('the number of an order', () => {
    test('is its own from its creation on, whatever is changed, for partners and the point of sale; nobody changes it', async () => {
      const made = await createOrderInHall(fixture);
      const number = deriveOrderNumber(made.order.id);
      expect(made.order.number).toBe(number);
      const { cart } = await createCart(fixture);
      expect(cart.number).toBe(deriveOrderNumber(cart.id));
      for (const reference of [`agency-${randomUUID()}`, null])
        expect((await refer(fixture, made, reference)).data).toMatchObject({ number, externalReference: reference });
      expect((await fixture.confirm(made.path)).data.number).toBe(number);
      expect((await fixture.shop<Order>('GET', made.path)).data.number).toBe(number);
      const change = (wanted: string) => fixture.call('PATCH', made.path, { body: { number: wanted } });
      expect([(await change(number)).status, (await change('mine')).code]).toEqual([200, 'validation_error']);
    });

    test('finds the order in either case, and nothing else does; never a cart, nor an order of another institution', async () => {
      const made = await createOrderInHall(fixture);
      const { cart } = await createCart(fixture);
      const { number, id } = made.order;
      const reference = `Agency-${randomUUID()}`;
      await refer(fixture, made, reference);
      const find = (wanted: string, institution = 'opera') =>
        fixture.shop<Order>('GET', `/internal/shop/order-numbers/${encodeURIComponent(wanted)}`, { institution });
      for (const each of [number, number.toUpperCase()]) {
        expect(await find(each)).toMatchObject({ status: 200, data: { id, number } });
        expect(await idsOf(fixture, `number=${each}`)).toEqual([id]);
      }
      for (const other of [cart.number, reference, 'nothing2']) {
        expect(await find(other)).toMatchObject({ status: 404, code: 'not_found' });
        expect(await idsOf(fixture, `number=${encodeURIComponent(other)}`)).toEqual([]);
      }
      expect((await find(number, 'museum')).status).toBe(404);
      expect(await idsOf(fixture, `number=${number}`, 'museum')).toEqual([]);
      expect(await idsOf(fixture, `number=${number}&externalReference=other`)).toEqual([]);
      expect(await idsOf(fixture, `number=${number}&externalReference=${reference}`)).toEqual([id]);
    });

    test('does not change with what was read, so a change of all that was read succeeds twice', async () => {
      const { path, order } = await createOrderInHall(fixture);
      const body = { ...order, externalReference: `agency-${randomUUID()}`, ticketDelivery: 'electronic' };
      const first = await fixture.call('PATCH', path, { body });
      const second = await fixture.call('PATCH', path, { body });
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.data).toEqual(first.data);
    });

    test('is unique in the institution: a candidate that another order has is not taken', async () => {
      const cartId = createCartId();
      const { order } = await createOrderInHall(fixture);
      const taken = deriveOrderNumber(cartId);
      await fixture.context.orders
        .of('opera')
        .update(order.id, (current) => ({ next: { ...current, shortNumber: taken } }));
      const cart = requireDone(await add(fixture, cartId, [fixture.catalog.hall(1).item()]));
      expect(cart.number).toBe(deriveOrderNumber(cartId, 1));
      await expect(
        fixture.context.orders
          .of('opera')
          .update(order.id, (current) => ({ next: { ...current, shortNumber: cart.number } })),
      ).rejects.toMatchObject({ name: 'UniqueViolation', index: 'number' });
    });

    describe('of an order of an earlier release', () => {
      const plain = collection<OrderDocument>(ordersCollection.name, ordersCollection.indexes);

      /** An order as the last release has written it. */
      const oldOrder = async () => {
        const made = await createOrderInHall(fixture);
        await fixture.store
          .collection(plain)
          .of('opera')
          .update(made.order.id, ({ shortNumber: _, ...next }) => ({ next: next as never }));
        return made;
      };

      test('is shown at once, and found once the orders were completed, which changes nothing else', async () => {
        const [one, other] = [await oldOrder(), await oldOrder()];
        const stored = () => fixture.store.collection(plain).of('opera').get(one.order.id);
        const before = await stored();
        const shown = await read(fixture, one.path);
        const short = deriveOrderNumber(one.order.id);
        expect([shown.number, before?.shortNumber, await idsOf(fixture, `number=${short}`)]).toEqual([
          short,
          undefined,
          [],
        ]);
        const facts = [fixture.facts.length, fixture.announced.length];
        const warn = (message: string) => expect(message).toBeUndefined();
        const numbering = startCompletion(fixture.store, ordersCollection, { where: { shortNumber: null } }, { warn });
        await waitUntil(async () => (await idsOf(fixture, `number=${short}`)).length === 1);
        await waitUntil(async () => (await idsOf(fixture, `number=${deriveOrderNumber(other.order.id)}`)).length === 1);
        await numbering.close();
        const { version, ...now } = (await stored()) ?? { version: 0 };
        expect(now).toEqual({ ...before, version: undefined, shortNumber: short });
        expect(version).toBe(Number(before?.version) + 1);
        expect([fixture.facts.length, fixture.announced.length]).toEqual(facts);
      });
    });
  });

  describe('orders, payments and refunds say who made them', () => {
    const user: CallerUser = { id: 'usr_1', role: 'manager', contact: null, pointsOfSale: [] };
    const refund = (path: string, call: Call = {}) =>
      fixture.call('POST', `${path}/refunds`, { body: { method: 'card', amount: 1 }, ...call });

    test('the client, with the user who is signed in at it; each record its own', async () => {
      const { order, path } = await createOrderInHall(fixture, 2, { client: 'agency', user });
      const [agency, till] = [{ clientId: 'agency', userId: user.id }, { clientId: 'till' }];
      expect(order).toMatchObject({ createdBy: agency });
      expect((await pay(fixture, path, {}, { client: 'till' })).data).toMatchObject({ createdBy: till });
      expect((await refund(path, { client: 'till', user: null })).data).toMatchObject({ createdBy: till });
      expect((await fixture.call('GET', path)).data).toMatchObject({ createdBy: agency });
      for (const records of ['payments', 'refunds'])
        expect((await fixture.call('GET', `${path}/${records}`)).data).toMatchObject({ items: [{ createdBy: till }] });
    });

    test('the point of sale of a shopper', async () => {
      const { path } = await createCart(fixture);
      await buyCart(fixture, path, { contactNumber: createContact(fixture) });
      expect((await fixture.call('GET', path)).data).toMatchObject({ createdBy: SHOP });
      expect((await fixture.call('GET', `${path}/payments`)).data).toMatchObject({ items: [{ createdBy: SHOP }] });
    });

    test('null in what an earlier release has stored', async () => {
      const { order, path } = await createOrderInHall(fixture);
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
      expect(await idsOf(fixture, 'limit=500&createdBy=partner')).not.toContain(order.id);
    });

    test('a list can have those of one client', async () => {
      const { order } = await createOrderInHall(fixture, 1, { client: 'searched' });
      await createOrderInHall(fixture, 1, { client: 'other' });
      expect(await idsOf(fixture, 'createdBy=searched')).toEqual([order.id]);
      expect(await idsOf(fixture, 'createdBy=unknown')).toEqual([]);
    });

    test('nothing changes it', async () => {
      const { path } = await createOrderInHall(fixture);
      const change = (clientId: string) => fixture.call('PATCH', path, { body: { createdBy: { clientId } } });
      expect([(await change('partner')).status, (await change('another')).code]).toEqual([200, 'validation_error']);
    });

    test('the events of an order and its money name its client and its point of sale, also when they are sent again', async () => {
      const { order, path } = await createOrderInHall(fixture, 2, { client: 'agency' });
      await pay(fixture, path, {}, { client: 'till' });
      await refund(path);
      const { cart, path: bought } = await createCart(fixture);
      await buyCart(fixture, bought, { contactNumber: createContact(fixture) });
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
      const { order, path } = await createOrderInHall(fixture, 1, { client: 'agency', user });
      await fixture.confirm(path);
      expect(fixture.factsOf(order.id).map(({ data }) => data)).toMatchObject([
        { createdBy: { clientId: 'agency', userId: 'usr_1' } },
      ]);
    });
  });

  describe('a contact that an order of a client or of a point of sale names is published', () => {
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
      const [first, second] = [createContact(fixture), createContact(fixture)];
      const body = { contactNumber: first, items: [fixture.catalog.hall(1).item(1)] };
      let orderId = '';
      const made = await namedBy(async () => {
        orderId = (await fixture.call('POST', '', { client: 'agency', body })).data.id;
      });
      const path = `/${orderId}`;
      const named = (contactNumber: string | null) => [
        { orderId, contactNumber, clientId: 'agency', pointOfSale: null },
      ];
      expect(made).toEqual(named(first));
      const change = (changes: object) =>
        namedBy(() =>
          fixture.call('PATCH', path, { client: 'till', body: changes }).then(({ status }) => expect(status).toBe(200)),
        );
      expect(await change({ externalReference: 'R-1', contactNumber: first })).toEqual([]);
      expect(await change({ contactNumber: second })).toEqual(named(second));
      expect(await namedBy(() => fixture.confirm(path))).toEqual([]);
      expect(await change({ contactNumber: null })).toEqual(named(null));
      expect(await currentlyNamedBy(orderId)).toEqual(named(null));
      expect(await change({ externalReference: 'R-2' })).toEqual([]);
      expect(await change({ contactNumber: first })).toEqual(named(first));
      expect(await currentlyNamedBy(orderId)).toEqual(named(first));
    });

    test('with the checkout of a shopper, however it is paid', async () => {
      const methods = [
        { paymentMethod: 'simulated', paymentToken: 'ok' },
        { paymentMethod: 'simulated', paymentToken: 'pending' },
        { paymentMethod: 'on_account' },
      ];
      for (const method of methods) {
        const contactNumber = createContact(fixture, 'account');
        let orderId = '';
        const named = await namedBy(async () => {
          const { cart, path } = await createCart(fixture);
          orderId = cart.id;
          await buyCart(fixture, path, { contactNumber, ...method });
        });
        const { pointOfSale } = SHOP;
        expect(named).toEqual([{ orderId, contactNumber, clientId: null, pointOfSale }]);
        expect(await currentlyNamedBy(orderId)).toEqual(named);
      }
    });

    test('not of an order without a contact', async () => {
      let orderId = '';
      const made = async () => {
        orderId = (await createOrderInHall(fixture, 1, { client: 'agency' })).order.id;
      };
      expect(await namedBy(made)).toEqual([]);
      expect(await currentlyNamedBy(orderId)).toEqual([]);
    });
  });
});
