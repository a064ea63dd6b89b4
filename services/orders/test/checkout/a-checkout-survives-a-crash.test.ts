import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkoutCart } from '../../src/cart/checkout.ts';
import type { OrdersContext } from '../../src/context.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, read } from '../fixture/shopper.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** The call of the catalog at which the process of a checkout dies, before or after it takes effect. */
const deaths = [
  ['sell', 'before'],
  ['sell', 'after'],
  ['extend', 'before'],
  ['extend', 'after'],
] as const;

const moments = ['before', 'after'] as const;

/** The context of a process that dies at this call. */
const dying = (context: OrdersContext, call: 'sell' | 'extend', when: 'before' | 'after'): OrdersContext => {
  const act = context.stock[call] as (...args: unknown[]) => Promise<unknown>;
  const die = async (...args: unknown[]) => {
    if (when === 'after') await act(...args);
    return never();
  };
  return { ...context, stock: { ...context.stock, [call]: die } };
};

describe.each(engines)('a checkout survives a crash, on $name', (engine) => {
  let fixture: Fixture;
  let contactNumber: string;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    contactNumber = newContact(fixture);
  });
  afterAll(() => fixture.close());

  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const later = () => fixture.later();
  const requestFor = (call: 'sell' | 'extend') =>
    ({
      requestId: 'r',
      contactNumber,
      paymentMethod: 'simulated',
      paymentToken: call === 'sell' ? 'ok' : 'pending',
    }) as const;

  /** A cart whose checkout died at this call. */
  const died = async (call: 'sell' | 'extend', when: 'before' | 'after') => {
    const { hall, cart, path } = await newCart(fixture);
    const target = { institution: 'opera', orderId: cart.id };
    checkoutCart(dying(fixture.context, call, when), target, requestFor(call)).catch(() => undefined);
    if (call === 'sell') await until(async () => (await document(cart.id))?.saleDue != null);
    const isDone = (order: OrderDocument | undefined) =>
      call === 'sell'
        ? fixture.catalog.count(hall).sold === 2
        : fixture.catalog.placesOf(cart.id).every(({ until: end }) => end > (order?.deadline ?? 0));
    if (when === 'after') await until(async () => isDone(await document(cart.id)));
    return { hall, cart, path };
  };

  const end = (call: 'sell' | 'extend') => (call === 'sell' ? 'confirmed' : 'payment_pending');

  test.each(deaths)(
    'after a crash at the call %s, %s it takes effect, a repeat returns the order',
    async (call, when) => {
      const { hall, path } = await died(call, when);
      expect(done(await checkout(fixture, path, requestFor(call))).state).toBe(end(call));
      expect(fixture.catalog.count(hall)).toMatchObject(call === 'sell' ? { sold: 2, held: 0 } : { sold: 0, held: 2 });
      expect((await fixture.call<{ items: object[] }>('GET', `${path}/payments`)).data.items).toHaveLength(1);
    },
  );

  test.each(moments)(
    'after a crash %s the sale the sweep confirms the order, and a repeat returns it',
    async (when) => {
      const { cart, path } = await died('sell', when);
      await later();
      expect(await document(cart.id)).toMatchObject({ state: 'confirmed', saleDue: null });
      expect(done(await checkout(fixture, path, requestFor('sell'))).state).toBe('confirmed');
    },
  );

  test.each(moments)('after a crash %s the sale another request does not buy the cart again', async (when) => {
    const { hall, path } = await died('sell', when);
    await later();
    const other = await checkout(fixture, path, { ...requestFor('sell'), requestId: 'another' });
    expect(other).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { listed: true } });
    expect(fixture.catalog.count(hall).sold).toBe(2);
  });

  test.each(moments)('after a crash %s the extension it still is a cart, which another request buys', async (when) => {
    const { hall, path } = await died('extend', when);
    const other = await checkout(fixture, path, { ...requestFor('sell'), requestId: 'another' });
    expect(done(other).state).toBe('confirmed');
    expect(fixture.catalog.count(hall).sold).toBe(2);
  });

  test('after a crash between a refused sale and the cancellation, a repeat cancels the order', async () => {
    const { cart, path } = await newCart(fixture);
    fixture.catalog.steal(String(cart.lines[0]?.place.id));
    const target = { institution: 'opera', orderId: cart.id };
    // The process dies as soon as the sale has failed and is written.
    const orders = fixture.context.orders.of('opera');
    let writes = 0;
    const update: typeof orders.update = (...args) => (writes++ < 2 ? orders.update(...args) : never());
    const context = { ...fixture.context, orders: { ...fixture.context.orders, of: () => ({ ...orders, update }) } };
    checkoutCart(context, target, requestFor('sell')).catch(() => undefined);
    await until(async () => {
      const order = await document(cart.id);
      return order?.listedAt !== null && order?.saleDue == null;
    });
    expect(await read(fixture, path)).toMatchObject({ state: 'open', listed: true });
    const repeated = await checkout(fixture, path, requestFor('sell'));
    expect(repeated).toMatchObject({ outcome: 'refused', reason: 'places_gone', order: { state: 'cancelled' } });
  });
});
