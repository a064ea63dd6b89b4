import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture } from '../fixture/fixture.ts';
import { add, checkout, done, newCartId, newContact, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('held places are limited per address, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { posHeldPlacesPerAddress: 5, maxHeldPlaces: 8 }));

  const refused = { outcome: 'refused', reason: 'hold_limit' };

  test('the limit is exact over all carts of an address and for concurrent requests', async () => {
    const hall = fixture.catalog.hall(40);
    const at = (address: string, cart = newCartId(), count = 1) => add(fixture, cart, [hall.item(count)], { address });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => at('192.0.2.7')));
    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(5);
    for (const one of outcomes.filter(({ outcome }) => outcome !== 'done')) expect(one).toMatchObject(refused);
    expect(fixture.catalog.count(hall).held).toBe(5);
    const [first, second] = outcomes.flatMap(({ order }) => (order ? [order] : []));
    const more = { ...refused, order: { lines: first?.lines } };
    expect(await at('192.0.2.7', first?.id)).toMatchObject(more);
    expect(await at('192.0.2.8', newCartId(), 6)).toMatchObject({ ...refused, order: null });
    done(await at('192.0.2.8', newCartId(), 5));
    done(await checkout(fixture, `/${first?.id}`, { contactNumber: newContact(fixture) }));
    done(await shopPost(fixture, `/${second?.id}/giving-up`));
    done(await at('192.0.2.7', newCartId(), 2));
    expect(await at('192.0.2.7')).toMatchObject(refused);
  });

  test('the limit of an address does not count towards that of a client', async () => {
    const hall = fixture.catalog.hall(20);
    done(await add(fixture, newCartId(), [hall.item(5)], { address: 'partner' }));
    const body = { items: [hall.item(8)] };
    expect((await fixture.call('POST', '', { body })).status).toBe(201);
    expect((await fixture.call('POST', '', { body: { items: [hall.item()] } })).code).toBe('order_hold_limit');
  });

  test('the address itself is not stored', async () => {
    const cart = done(await add(fixture, newCartId(), [fixture.catalog.hall(1).item()], { address: '198.51.100.23' }));
    const document = await fixture.document(cart.id);
    expect(JSON.stringify(document)).not.toContain('198.51.100.23');
  });
});
