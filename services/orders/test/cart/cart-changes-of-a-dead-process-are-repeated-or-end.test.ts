import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addToCart } from '../../src/cart/add.ts';
import type { OrdersContext } from '../../src/context.ts';
import { removeOrderLine } from '../../src/orders/lines.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { add, done, newCart, newCartId, read } from '../fixture/shopper.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** The context of a process that dies at this call of the catalog: before the call takes effect, or after. */
const dying = (context: OrdersContext, call: 'hold' | 'release', when: 'before' | 'after'): OrdersContext => {
  const act = context.stock[call] as (...args: unknown[]) => Promise<unknown>;
  const die = async (...args: unknown[]) => {
    if (when === 'after') await act(...args);
    return never();
  };
  return { ...context, stock: { ...context.stock, [call]: die } };
};

describe.each(engines)('cart changes of a dead process are repeated, or end with the hold, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const later = () => fixture.later();
  const addition = (orderId: string, item: object, request = 'dead') =>
    ({
      institution: 'opera',
      orderId,
      request,
      pointOfSale: 'tickets.opera.example',
      address: '192.0.2.1',
      items: [item],
    }) as never;

  describe.each(['before', 'after'] as const)('the process dies %s the catalog acts', (when) => {
    test('there is no cart, and its id can be used by another request', async () => {
      const hall = fixture.catalog.hall(3);
      const id = newCartId();
      addToCart(dying(fixture.context, 'hold', when), addition(id, hall.item(2))).catch(() => undefined);
      if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
      expect((await fixture.shop('GET', `/${id}`)).status).toBe(404);
      expect(done(await add(fixture, id, [hall.item()])).lines).toHaveLength(1);
      expect(fixture.catalog.count(hall).held).toBe(when === 'after' ? 3 : 1);
    });

    test('a repeat of the first addition gets the places that are held for it', async () => {
      const hall = fixture.catalog.hall(2);
      const id = newCartId();
      addToCart(dying(fixture.context, 'hold', when), addition(id, hall.item(2))).catch(() => undefined);
      if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
      const cart = await addToCart(fixture.context, addition(id, hall.item(2)));
      expect(cart).toMatchObject({ state: 'open', listedAt: null, heldPlaces: 2 });
      await later();
      expect((await read(fixture, `/${id}`)).lines).toHaveLength(2);
    });

    test('the cart accepts further lines', async () => {
      const { hall, cart, path } = await newCart(fixture, 1);
      addToCart(dying(fixture.context, 'hold', when), addition(cart.id, hall.item())).catch(() => undefined);
      if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
      expect(await document(cart.id)).toMatchObject({ heldPlaces: 1 });
      expect(done(await add(fixture, cart.id, [hall.item()])).lines).toHaveLength(2);
      expect((await read(fixture, path)).total).toBe(2_000);
    });

    test('the sweep releases the place of a removed line', async () => {
      const { hall, cart, path } = await newCart(fixture, 2);
      const target = { institution: 'opera', orderId: cart.id };
      removeOrderLine(
        dying(fixture.context, 'release', when),
        { ...target, appliesTo: 'carts' },
        String(cart.lines[0]?.id),
      ).catch(() => undefined);
      await until(async () => (await document(cart.id))?.removedPlaces != null);
      expect((await read(fixture, path)).lines).toHaveLength(1);
      await later();
      expect(await document(cart.id)).toMatchObject({ removedPlaces: null });
      expect(fixture.catalog.count(hall).held).toBe(1);
    });
  });
});
