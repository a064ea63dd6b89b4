import { startSweeper } from '@boxoffice/service';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sweep } from '../../src/steps/sweep.ts';
import { collections, retention } from '../../src/store.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newContact, shopPost } from '../fixture/shopper.ts';

const DAY_MS = 24 * 60 * 60_000;

describe.each(engines)('the retention of carts, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('a cart that was never bought is deleted with its links a day after its end; orders stay', async () => {
    const [expired, abandoned, live, bought, cancelled] = (await Promise.all(
      Array.from({ length: 5 }, () => newCart(fixture)),
    )) as [Awaited<ReturnType<typeof newCart>>, ...Awaited<ReturnType<typeof newCart>>[]];
    const carts = [expired, abandoned, live, bought, cancelled].flatMap((one) => one ?? []);
    const other = fixture.catalog.hall(1);
    done(await add(fixture, expired.cart.id, [other.item(1)]));
    for (const one of [bought, cancelled])
      done(await checkout(fixture, String(one?.path), { contactNumber: newContact(fixture) }));
    done(await shopPost(fixture, `${cancelled?.path}/cancellation`, { requestId: 'c' }));
    done(await shopPost(fixture, `${abandoned?.path}/giving-up`));
    const orders = fixture.context.orders.of('opera');
    await orders.update(expired.cart.id, (order) => ({ next: { ...order, deadline: Date.now() - 1 } }));
    await sweep(fixture.context);
    const links = fixture.context.links.of('opera');
    expect((await links.find({})).map(({ orderId }) => orderId)).toContain(expired.cart.id);

    const sweptAt = async (at: number): Promise<number> => {
      const logger = { warn: (message: string) => expect(message).toBeUndefined() };
      const sweeper = startSweeper({ store: fixture.store, collections, retention, logger, now: () => at });
      return sweeper.sweep().finally(() => sweeper.close());
    };
    expect(await sweptAt(Date.now())).toBe(0);
    expect(await sweptAt(Date.now() + DAY_MS)).toBe(2);
    const there = await Promise.all(carts.map(async ({ cart }) => (await orders.get(cart.id))?.state));
    expect(there).toEqual([undefined, undefined, 'open', 'confirmed', 'cancelled']);
    expect((await links.find({})).map(({ orderId }) => orderId)).not.toContain(expired.cart.id);
  });
});
