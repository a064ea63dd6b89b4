import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { giveUpElsewhere } from '../fixture/orders.ts';
import { add, checkout, done, mintCartId, newContact, wish } from '../fixture/shopper.ts';

describe.each(engines)('the visitors of an address hold so many places, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine, { posHeldPlacesPerAddress: 5, maxHeldPlaces: 8 });
  });
  afterAll(() => stand.close());

  const refused = { outcome: 'refused', reason: 'hold_limit' };

  test('exactly, over all their carts and however many come at once', async () => {
    const hall = stand.catalog.hall(40);
    const at = (address: string, cart = mintCartId(), count = 1) => add(stand, cart, [hall.item(count)], { address });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => at('192.0.2.7')));
    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(5);
    for (const one of outcomes.filter(({ outcome }) => outcome !== 'done')) expect(one).toMatchObject(refused);
    expect(stand.catalog.count(hall).held).toBe(5);
    const [first, second] = outcomes.flatMap(({ order }) => (order ? [order] : []));
    const more = { ...refused, order: { lines: first?.lines } };
    expect(await at('192.0.2.7', first?.id)).toMatchObject(more);
    expect(await at('192.0.2.8', mintCartId(), 6)).toMatchObject({ ...refused, order: null });
    done(await at('192.0.2.8', mintCartId(), 5));
    done(await checkout(stand, `/${first?.id}`, { contactNumber: newContact(stand) }));
    done(await wish(stand, `/${second?.id}/giving-up`));
    done(await at('192.0.2.7', mintCartId(), 2));
    expect(await at('192.0.2.7')).toMatchObject(refused);
  });

  test("which counts apart from a client's", async () => {
    const hall = stand.catalog.hall(20);
    done(await add(stand, mintCartId(), [hall.item(5)], { address: 'partner' }));
    const body = { items: [hall.item(8)] };
    expect((await stand.call('POST', '', { body })).status).toBe(201);
    expect((await stand.call('POST', '', { body: { items: [hall.item()] } })).code).toBe('order_hold_limit');
  });

  test('of the address itself nothing is kept', async () => {
    const cart = done(await add(stand, mintCartId(), [stand.catalog.hall(1).item()], { address: '198.51.100.23' }));
    const document = await stand.desk.orders.of('opera').get(cart.id);
    expect(JSON.stringify(document)).not.toContain('198.51.100.23');
  });

  test('another instance knows of it after two seconds', async () => {
    const hall = stand.catalog.hall(10);
    const other = await stand.another();
    const cart = done(await add(stand, mintCartId(), [hall.item(5)], { address: '203.0.113.1' }));
    const there = () => add(other, mintCartId(), [hall.item()], { address: '203.0.113.1' });
    expect(await there()).toMatchObject(refused);
    done(await wish(stand, `/${cart.id}/giving-up`));
    await until(async () => (await there()).outcome === 'done');
  });

  test('what another instance took back after an outage of the catalog counts no more, here too', async () => {
    const hall = stand.catalog.hall(20);
    const put = (count: number) => add(stand, mintCartId(), [hall.item(count)], { address: '203.0.113.9' });
    await giveUpElsewhere(stand, () => expect(put(5)).rejects.toThrow('service_unavailable'));
    await until(async () => (await put(5)).outcome === 'done');
  });
});
