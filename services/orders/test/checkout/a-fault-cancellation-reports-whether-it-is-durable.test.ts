import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { checkout, done, newCart, newCartId, newContact, read } from '../fixture/shopper.ts';

describe.each(engines)('a cancellation after a fault reports whether it is durable, on $name', (engine) => {
  let fixture: Fixture;
  let contactNumber: string;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    contactNumber = newContact(fixture, 'account');
  });
  afterAll(() => fixture.close());

  const certainty = async (path: string, body?: object) =>
    (await fixture.shop<{ cancelled: boolean; state: string | null }>('POST', `${path}/fault-cancellation`, { body }))
      .data;
  const cancelled = { cancelled: true, state: 'cancelled' };

  test('a cart without a checkout is cancelled, and a late checkout is refused', async () => {
    const { path } = await newCart(fixture);
    expect(await certainty(path)).toEqual(cancelled);
    expect(await certainty(path)).toEqual(cancelled);
    expect(await checkout(fixture, path, { contactNumber })).toMatchObject({
      outcome: 'refused',
      reason: 'cart_gone',
    });
  });

  test.each(['fails', 'lost'] as const)('a sale with an unknown outcome (%s) is cancelled at once', async (mishap) => {
    const { path } = await newCart(fixture);
    fixture.catalog.mishaps.set('sellHold', mishap);
    const body = { requestId: 'checkout', contactNumber, paymentMethod: 'simulated' };
    expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
    expect(await certainty(path)).toEqual(cancelled);
    fixture.catalog.mishaps.clear();
    expect(await read(fixture, path)).toMatchObject({ state: 'cancelled', listed: true });
    expect(done(await checkout(fixture, path, body)).state).toBe('cancelled');
    const [fact] = fixture.facts.filter(({ type, key }) => type === 'order.cancelled' && `/${key}` === path);
    expect(fact?.data).toMatchObject({ hadTickets: false });
  });

  test('an order whose answer was lost is cancelled, confirmed or waiting for its payment', async () => {
    for (const paymentToken of ['ok', 'pending']) {
      const { path } = await newCart(fixture);
      done(await checkout(fixture, path, { contactNumber, paymentToken }));
      expect(await certainty(path)).toEqual(cancelled);
    }
  });

  test('a cancellation after notAfter changes nothing', async () => {
    const { path } = await newCart(fixture);
    done(await checkout(fixture, path, { contactNumber }));
    const late = { notAfter: new Date(Date.now() - 1).toISOString() };
    expect(await certainty(path, late)).toEqual({ cancelled: false, state: 'confirmed' });
    const inTime = { notAfter: new Date(Date.now() + 60_000).toISOString() };
    expect(await certainty(path, inTime)).toEqual(cancelled);
  });

  test('an unknown or expired order and one with a controlled ticket are not cancelled', async () => {
    expect(await certainty(`/${newCartId()}`)).toEqual({ cancelled: false, state: null });
    fixture.catalog.holdMs = 1;
    const expired = await newCart(fixture);
    fixture.catalog.holdMs = 900_000;
    expect(await certainty(expired.path)).toEqual({ cancelled: false, state: 'expired' });
    const { cart, path } = await newCart(fixture);
    const { lines } = done(await checkout(fixture, path, { contactNumber }));
    fixture.tickets.controlled.set(cart.id, [String(lines[0]?.ticketId)]);
    expect(await certainty(path)).toEqual({ cancelled: false, state: 'confirmed' });
  });

  test.each(['fails', 'lost'] as const)('a cart whose sale on account %s is cancelled at once', async (mishap) => {
    const { path, hall } = await newCart(fixture);
    fixture.catalog.mishaps.set('sellHold', mishap);
    const body = { requestId: 'checkout', contactNumber, paymentMethod: 'on_account' };
    expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
    expect(await certainty(path)).toEqual(cancelled);
    fixture.catalog.mishaps.clear();
    expect(await checkout(fixture, path, body)).toMatchObject({ outcome: 'refused', reason: 'cart_gone' });
    const ofOrder = () => fixture.facts.filter(({ key }) => `/${key}` === path);
    await until(() => ofOrder().length > 0);
    for (const fact of ofOrder()) fixture.catalog.receive(fact);
    expect(fixture.catalog.count(hall)).toMatchObject({ held: 0, sold: 0 });
  });

  test('a sale in progress is not waited for, and buys nothing', async () => {
    const { path } = await newCart(fixture);
    fixture.catalog.mishaps.set('sellHold', 'hangs after');
    const sales = () => fixture.catalog.calls.filter(({ operation }) => operation === 'sellHold').length;
    const before = sales();
    const bought = fixture.shop('POST', `${path}/checkout`, {
      body: { requestId: 'r', contactNumber, paymentMethod: 'on_account' },
    });
    await until(() => sales() > before);
    expect(await certainty(path)).toEqual(cancelled);
    expect((await bought).status).toBe(503);
    fixture.catalog.mishaps.clear();
    expect(await read(fixture, path)).toMatchObject({ state: 'cancelled' });
  });
});
