import { randomUUID } from 'node:crypto';
import type { ChangesPage } from '@boxoffice/http';
import { collection } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { shortNumberOf } from '../../src/ids.ts';
import { type OrderDocument, ordersCollection, startNumbering } from '../../src/store.ts';
import { describeOnEachEngine, type Fixture, type Order, until } from '../fixture/fixture.ts';
import { newCart, newOrder, read } from '../fixture/orders.ts';

type Page = ChangesPage<Order>;

const list = async (fixture: Fixture, query: string): Promise<Page> => {
  const { status, text, data } = await fixture.call<Page>('GET', `?${query}`);
  if (status !== 200) throw new Error(text);
  return data;
};

const idsOf = async (fixture: Fixture, number: string): Promise<readonly string[]> =>
  (await list(fixture, `number=${encodeURIComponent(number)}`)).items.map(({ id }) => id);

const refer = (fixture: Fixture, { path }: { readonly path: string }, externalReference: string | null) =>
  fixture.call('PATCH', path, { body: { externalReference } });

test('short numbers have 8 characters, none that people confuse, each as often as any other', () => {
  const numbers = Array.from({ length: 8_000 }, () => shortNumberOf(`ord_${randomUUID()}`));
  expect(numbers.filter((number) => !/^[a-km-np-z2-9]{8}$/.test(number))).toEqual([]);
  expect(new Set(numbers).size).toBe(numbers.length);
  const counts = new Map<string, number>();
  for (const letter of numbers.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(32);
  // 2,000 of each are expected, with a standard deviation of 44.
  expect([...counts.values()].filter((count) => Math.abs(count - 2_000) > 350)).toEqual([]);
});

describeOnEachEngine('the number of an order', (fixture) => {
  test('is its own reference, else eight characters of its own, for partners and the point of sale', async () => {
    const made = await newOrder(fixture);
    const short = shortNumberOf(made.order.id);
    expect(made.order.number).toBe(short);
    const { cart, path } = await newCart(fixture);
    expect(cart.number).toBe(shortNumberOf(cart.id));
    expect((await fixture.shop<Order>('GET', path)).data.number).toBe(shortNumberOf(cart.id));
    const reference = `agency-${randomUUID()}`;
    expect((await refer(fixture, made, reference)).data.number).toBe(reference);
    expect((await fixture.shop<Order>('GET', made.path)).data.number).toBe(reference);
    expect((await refer(fixture, made, null)).data.number).toBe(short);
  });

  test('finds the order: by its reference, and by the eight characters in either case, also beside a reference', async () => {
    const made = await newOrder(fixture);
    const short = shortNumberOf(made.order.id);
    expect(await idsOf(fixture, short)).toEqual([made.order.id]);
    expect(await idsOf(fixture, short.toUpperCase())).toEqual([made.order.id]);
    const reference = `Agency-${randomUUID()}`;
    await refer(fixture, made, reference);
    expect(await idsOf(fixture, reference)).toEqual([made.order.id]);
    expect(await idsOf(fixture, short)).toEqual([made.order.id]);
    expect(await idsOf(fixture, reference.toLowerCase())).toEqual([]);
    expect(await idsOf(fixture, 'nothing2')).toEqual([]);
    expect((await list(fixture, `number=${short}&externalReference=other`)).items).toEqual([]);
    expect((await list(fixture, `number=${short}&externalReference=${reference}`)).items).toHaveLength(1);
    expect((await list(fixture, `number=${reference}&externalReference=${reference}`)).items).toHaveLength(1);
  });

  test('finds both orders where the reference of one is the short number of another, page by page and once', async () => {
    const [first, second, third] = [await newOrder(fixture), await newOrder(fixture), await newOrder(fixture)];
    const short = shortNumberOf(second.order.id);
    for (const made of [first, second, third]) await refer(fixture, made, short);
    const found: string[] = [];
    let cursor = '';
    do {
      const { items, nextCursor } = await list(fixture, `number=${short}&limit=1${cursor}`);
      found.push(...items.map(({ id }) => id));
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    expect(found.sort()).toEqual([first, second, third].map(({ order }) => order.id).sort());
  });

  test('finds no cart and no order of another institution', async () => {
    const { cart } = await newCart(fixture);
    expect(await idsOf(fixture, shortNumberOf(cart.id))).toEqual([]);
    const { order } = await newOrder(fixture);
    const query = `?number=${shortNumberOf(order.id)}`;
    const elsewhere = await fixture.call<Page>('GET', query, { institution: 'museum' });
    expect(elsewhere.data.items).toEqual([]);
  });

  test('is changed by its reference only', async () => {
    const { path, order } = await newOrder(fixture);
    const refused = await fixture.call('PATCH', path, { body: { number: 'mine' } });
    expect([refused.status, refused.code]).toEqual([422, 'validation_error']);
    expect((await fixture.call('PATCH', path, { body: { number: order.number } })).status).toBe(200);
  });

  describe('of an order of an earlier release', () => {
    const plain = collection<OrderDocument>(ordersCollection.name, ordersCollection.indexes);

    /** An order as the last release has written it. */
    const oldOrder = async () => {
      const made = await newOrder(fixture);
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
      const short = shortNumberOf(one.order.id);
      expect([shown.number, before?.shortNumber, await idsOf(fixture, short)]).toEqual([short, undefined, []]);
      const facts = [fixture.facts.length, fixture.announced.length];
      const numbering = startNumbering(fixture.store, { warn: (message) => expect(message).toBeUndefined() });
      await until(async () => (await idsOf(fixture, short)).length === 1);
      await until(async () => (await idsOf(fixture, shortNumberOf(other.order.id))).length === 1);
      await numbering.close();
      const { version, ...now } = (await stored()) ?? { version: 0 };
      expect(now).toEqual({ ...before, version: undefined, shortNumber: short });
      expect(version).toBe(Number(before?.version) + 1);
      expect([fixture.facts.length, fixture.announced.length]).toEqual(facts);
    });
  });
});
