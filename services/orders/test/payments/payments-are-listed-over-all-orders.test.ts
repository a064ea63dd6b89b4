import { randomUUID } from 'node:crypto';
import type { CallerUser } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { ListedPayment } from '../../src/api/schemas.ts';
import { type OrderDocument, ordersCollection } from '../../src/store.ts';
import { type Call, describeOnEachEngine } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact } from '../fixture/orders.ts';

type Item = Static<typeof ListedPayment>;

interface Page {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

const HOST = 'north.opera.example';

describeOnEachEngine('payments and refunds are listed over all orders', (fixture) => {
  /** An institution of its own, with orders and their money. */
  const house = () => {
    const institution = `i${randomUUID()}`;
    const send = async <Data>(method: string, path: string, call: Call = {}) => {
      const answer = await fixture.call<Data>(method, path, { institution, ...call });
      if (answer.status >= 300) throw new Error(answer.text);
      return answer.data;
    };
    const order = async (more: object = {}, call: Call = {}) => {
      const items = [fixture.catalog.hall(4, { institution }).item(4)];
      return (await send<{ id: string }>('POST', '', { ...call, body: { items, ...more } })).id;
    };
    const record = (records: 'payments' | 'refunds') => (orderId: string, more: object, call: Call) => {
      const status = records === 'payments' ? { status: 'captured' } : {};
      const body = { method: 'card', amount: 100, ...status, ...more };
      return send<Item>('POST', `/${orderId}/${records}`, { ...call, body });
    };
    const [payment, refunded] = [record('payments'), record('refunds')];
    const list = (query = '', call: Call = {}, records = 'payments') =>
      send<Page>('GET', `/svc/v3/${records}?${query}`, call);
    const ids = async (query = '', call: Call = {}, records = 'payments') =>
      (await list(`limit=500&${query}`, call, records)).items.map(({ id }) => id);
    return {
      institution,
      send,
      order,
      pay: (orderId: string, more: object = {}, call: Call = {}) => payment(orderId, more, call),
      refund: (orderId: string, more: object = {}, call: Call = {}) => refunded(orderId, more, call),
      list,
      ids,
      /** Every page, with what happens between two of them. */
      async walk(records: string, query: string, between: () => Promise<unknown> = async () => undefined) {
        const pages: Item[][] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: Page = await list(`${query}${cursor}`, {}, records);
          pages.push(page.items);
          if (pages.length > 50) throw new Error('the list does not end');
          cursor = page.nextCursor && `&cursor=${page.nextCursor}`;
          if (cursor) await between();
        }
        return pages;
      },
      /** Changes a stored order, as another clock or an earlier release would have written it. */
      store: (orderId: string, change: (order: OrderDocument) => OrderDocument) =>
        fixture.store
          .collection(ordersCollection)
          .of(institution)
          .update(orderId, (current) => ({ next: change(current) })),
    };
  };

  test('each once, as its order shows it and with the reference of the order, in pages', async () => {
    const { order, pay, refund, send, walk } = house();
    const orders: string[] = [];
    for (const externalReference of [undefined, 'agency-1', 'agency-2']) {
      const id = await order(externalReference === undefined ? {} : { externalReference });
      orders.push(id);
      for (const reference of ['psp-1', 'psp-2', 'psp-3']) await pay(id, { reference });
      for (let turn = 0; turn < 2; turn += 1) await refund(id, { amount: 10 });
    }
    for (const records of ['payments', 'refunds']) {
      const expected: unknown[] = [];
      for (const [index, id] of orders.entries()) {
        const own = await send<Page>('GET', `/${id}/${records}`);
        const externalReference = index === 0 ? null : `agency-${index}`;
        expected.push(...own.items.map((item) => ({ ...item, externalReference })));
      }
      for (const limit of [1, 2, 4, 500]) {
        const pages = await walk(records, `limit=${limit}`);
        expect(pages.flat()).toEqual(expected);
        expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
        expect(pages).toHaveLength(Math.ceil(expected.length / limit));
      }
    }
  });

  test('a filter leaves out the others: method, status, creator, the instants from and to', async () => {
    const { order, pay, refund, ids, store, walk } = house();
    const [one, other] = [await order(), await order()];
    const cash = await pay(one, { method: 'cash' }, { client: 'till' });
    const pending = await pay(other, { status: 'pending' });
    const card = await pay(one);
    const back = await refund(one, { method: 'voucher' }, { client: 'till' });
    expect(await ids()).toEqual([cash.id, card.id, pending.id]);
    expect(await ids('method=cash')).toEqual([cash.id]);
    expect(await ids('status=captured')).toEqual([cash.id, card.id]);
    expect(await ids('createdBy=till')).toEqual([cash.id]);
    expect(await ids('createdBy=till&method=card')).toEqual([]);
    expect(await ids('method=voucher', {}, 'refunds')).toEqual([back.id]);
    expect(await ids('createdBy=partner', {}, 'refunds')).toEqual([]);
    expect(await ids('status=captured', {}, 'refunds')).toEqual([back.id]);
    expect(await ids('status=pending', {}, 'refunds')).toEqual([]);

    const at = (second: number) => `2027-02-01T12:00:0${second}.000Z`;
    const paidAt =
      (...seconds: number[]) =>
      ({ payments, ...rest }: OrderDocument): OrderDocument => ({
        ...rest,
        payments: payments.map((payment, index) => ({ ...payment, createdAt: Date.parse(at(seconds[index] ?? 0)) })),
        listedAt: Date.parse(at(seconds[0] ?? 0)),
        modifiedAt: Date.parse(at(seconds.at(-1) ?? 0)),
      });
    await store(one, paidAt(2, 6));
    await store(other, paidAt(4));
    expect(await ids(`from=${at(3)}`)).toEqual([card.id, pending.id]);
    expect(await ids(`to=${at(4)}`)).toEqual([cash.id, pending.id]);
    expect(await ids(`from=${at(4)}&to=${at(5)}`)).toEqual([pending.id]);
    expect(await ids(`from=${at(7)}`)).toEqual([]);
    expect(await ids(`to=${at(1)}`)).toEqual([]);

    const pages = await walk('payments', `limit=1&from=${at(3)}`);
    expect(pages.map((items) => items.map(({ id }) => id))).toEqual([[card.id], [pending.id]]);

    // Recorded by an instance whose clock is behind that of the order's.
    await store(other, (order) => ({ ...order, listedAt: Date.parse(at(8)) }));
    expect(await ids(`to=${at(4)}`)).toEqual([cash.id, pending.id]);

    // Orders of one instant: the id breaks the tie.
    for (const id of [one, other]) await store(id, (order) => ({ ...order, listedAt: Date.parse(at(2)) }));
    const inOrder = one < other ? [cash, card, pending] : [pending, cash, card];
    expect((await walk('payments', 'limit=1')).flat().map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
  });

  test('a parameter that is none of the list is refused', async () => {
    const refusals = ['payments?status=open', 'refunds?status=open', 'payments?from=yesterday', 'refunds?cursor=x'];
    for (const path of refusals) expect((await fixture.call('GET', `/svc/v3/${path}`)).code).toBe('invalid_parameter');
  });

  test('what comes while one pages neither repeats nor hides what was there', async () => {
    const { order, pay, refund, walk } = house();
    const orders = [await order(), await order(), await order()];
    const before: string[] = [];
    for (const id of orders) for (let turn = 0; turn < 2; turn += 1) before.push((await pay(id)).id);
    let turn = 0;
    const pages = await walk('payments', 'limit=2', async () => {
      turn += 1;
      if (turn > 3) return;
      for (const id of orders) await pay(id, { amount: turn });
      await refund(orders[0] ?? '', { amount: 1 });
      await pay(await order());
    });
    const seen = pages.flat().map(({ id }) => id);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.includes(id))).toEqual(before);
  });

  test('a page ends after two thousand orders, and the next one goes on', async () => {
    const { institution, order, pay, store, list } = house();
    const [first, last] = [await order(), await order()];
    const listedAt = 1_000;
    const unpaid = await store(first, (one) => ({ ...one, listedAt }));
    const empty = Array.from({ length: 2_000 }, (_, index) => ({
      ...unpaid,
      id: `ord_${institution}_${index}`,
      shortNumber: `${institution}-${index}`,
    }));
    const orders = fixture.store.collection(ordersCollection).of(institution);
    await orders.insertMany(empty as unknown as OrderDocument[]);
    const { id } = await pay(last);
    const page = await list();
    expect([page.items, typeof page.nextCursor]).toEqual([[], 'string']);
    const next = await list(`cursor=${page.nextCursor}`);
    expect([next.items.map((item) => item.id), next.nextCursor]).toEqual([[id], null]);
  });

  describe('of the orders that the caller may see', () => {
    test('in its institution, and no cart that was never checked out', async () => {
      const { order, pay, ids } = house();
      const { id } = await pay(await order());
      expect(await ids()).toEqual([id]);
      expect(await house().ids()).toEqual([]);
      const { cart, path } = await createCart(fixture);
      // No command pays a cart: as if one did.
      const shop = fixture.store.collection(ordersCollection).of('opera');
      const { id: payment } = { id: `pay_${randomUUID()}` };
      const money = { method: 'card', amount: 1, currency: 'CHF', reference: null, status: 'captured' } as const;
      const paid = { id: payment, ...money, createdAt: Date.now(), updatedAt: Date.now() };
      await shop.update(cart.id, (current) => ({ next: { ...current, payments: [paid] } }));
      const listed = async () =>
        (await fixture.call<Page>('GET', '/svc/v3/payments?limit=500')).data.items.map((item) => item.orderId);
      expect(await listed()).not.toContain(cart.id);
      await buyCart(fixture, path, { contactNumber: createContact(fixture) });
      expect(await listed()).toContain(cart.id);
    });

    test('as the role of the user and the bounds of the client show them', async () => {
      const { order, pay, refund, list, ids } = house();
      const client = 'agency';
      const [north, south] = [await order({ pointOfSale: HOST }), await order({}, { client })];
      const [atNorth, atSouth] = [await pay(north), await pay(south)];
      const [backNorth, backSouth] = [await refund(north), await refund(south)];
      const user: CallerUser = { id: 'usr_1', role: 'box_office', contact: null, pointsOfSale: [HOST] };
      const bounds = { ownOrders: true, pointsOfSale: [] };
      expect(await ids('', { user })).toEqual([atNorth.id]);
      expect(await ids('', { user }, 'refunds')).toEqual([backNorth.id]);
      expect(await ids('', { client, bounds })).toEqual([atSouth.id]);
      expect(await ids('', { client, bounds }, 'refunds')).toEqual([backSouth.id]);
      expect(await ids('', { client: 'another', bounds })).toEqual([]);
      const { nextCursor } = await list('limit=1');
      await expect(list(`cursor=${nextCursor}`, { user })).rejects.toThrow('cursor');
    });

    test('with the scope of what is sensitive; a customer never', async () => {
      for (const path of ['/svc/v3/payments', '/svc/v3/refunds']) {
        const scopes = ['orders:read', 'orders.sensitive:write', 'payments:write'];
        expect((await fixture.call('GET', path, { scopes })).status).toBe(403);
        const user: CallerUser = { id: 'usr_2', role: 'customer', contact: 'C1', pointsOfSale: [] };
        expect((await fixture.call('GET', path, { user })).status).toBe(403);
      }
    });
  });
});
