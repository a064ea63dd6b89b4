import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, read, wish } from '../fixture/shopper.ts';

describe.each(engines)('a cart is hidden from institutions until it is bought, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const listedIds = async () => {
    const { data } = await stand.call<{ items: { id: string }[] }>('GET', '?limit=500');
    return data.items.map(({ id }) => id);
  };

  test('every operation of the institution API but reading by id finds it as little as what never was', async () => {
    const { hall, cart, path } = await newCart(stand);
    const operations: [string, string, unknown][] = [
      ['PATCH', '', { contactNumber: 'C-nobody' }],
      ['POST', '/lines', { items: [hall.item()] }],
      ['DELETE', `/lines/${cart.lines[0]?.id}`, undefined],
      ['POST', '/extension', { minutes: 5 }],
      ['POST', '/reservation', { dueAt: '2099-01-01T00:00:00Z' }],
      ['GET', '/payments', undefined],
      ['POST', '/payments', { method: 'card', amount: 1, status: 'captured' }],
      ['PATCH', '/payments/pay_1', { status: 'failed' }],
      ['POST', '/confirmation', { onAccount: true }],
      ['POST', '/cancellation', {}],
      ['POST', '/refunds', { amount: 1, method: 'card' }],
    ];
    for (const [method, below, body] of operations) {
      const hidden = await stand.call(method, `${path}${below}`, { body, ifMatch: '"0"' });
      const unknown = await stand.call(method, `/ord_unknown${below}`, { body, ifMatch: '"0"' });
      expect([method, below, hidden.status, hidden.text]).toEqual([method, below, 404, unknown.text]);
    }
    expect(await read(stand, path)).toMatchObject({ state: 'open', listed: false, version: cart.version });
    const { data } = await stand.call('GET', path);
    expect(data).toMatchObject({ id: cart.id, state: 'open', updatedAt: expect.stringMatching(/^20/) });
    expect(await listedIds()).not.toContain(cart.id);
  });

  test('the checkout shows it, under the same id', async () => {
    const { cart, path } = await newCart(stand);
    const contactNumber = newContact(stand);
    done(await checkout(stand, path, { contactNumber }));
    expect((await stand.call('GET', path)).data).toMatchObject({
      id: cart.id,
      state: 'confirmed',
      contactNumber,
      pointOfSale: 'tickets.opera.example',
      paymentStatus: 'paid',
    });
    expect(await listedIds()).toContain(cart.id);
  });

  test('one that was given up or has expired stays out of lists', async () => {
    const { path } = await newCart(stand);
    done(await wish(stand, `${path}/giving-up`));
    stand.catalog.holdMs = 1;
    const expired = await newCart(stand);
    stand.catalog.holdMs = 900_000;
    expect(await read(stand, expired.path)).toMatchObject({ state: 'expired', listed: false });
    expect((await stand.call('GET', path)).data).toMatchObject({ state: 'cancelled' });
    expect((await stand.call('GET', expired.path)).data).toMatchObject({ state: 'expired' });
    expect(await listedIds()).not.toContain(expired.cart.id);
  });

  test('an order is no cart any more', async () => {
    const { cart, hall, path } = await newCart(stand);
    done(await checkout(stand, path, { contactNumber: newContact(stand), paymentToken: 'pending' }));
    const line = `${path}/lines/${cart.lines[0]?.id}`;
    const gone = { outcome: 'refused', reason: 'cart_gone', order: { listed: true, state: 'payment_pending' } };
    expect(await wish(stand, `${line}/removal`)).toMatchObject(gone);
    expect(await wish(stand, `${line}/change`, { requestId: 'c', tariffId: hall.tariffId })).toMatchObject(gone);
    expect(await wish(stand, `${path}/giving-up`)).toMatchObject(gone);
  });

  test('a cart of another institution is unknown', async () => {
    const { path } = await newCart(stand);
    for (const each of [path, '/ord_unknown'])
      expect((await stand.shop('GET', each, { institution: 'museum' })).status).toBe(404);
    expect((await stand.shop('POST', `${path}/giving-up`, { institution: 'museum' })).status).toBe(404);
    expect((await stand.shop('POST', `${path}/fault-cancellation`, { institution: 'museum' })).data).toEqual({
      cancelled: false,
      state: null,
    });
  });
});
