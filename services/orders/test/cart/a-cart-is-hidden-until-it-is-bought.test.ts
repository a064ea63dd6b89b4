import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, read, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('a cart is hidden from institutions until it is bought, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const listedIds = async () => {
    const { data } = await fixture.call<{ items: { id: string }[] }>('GET', '?limit=500');
    return data.items.map(({ id }) => id);
  };

  test('every operation of the institution API except reading by id answers as for an unknown order', async () => {
    const { hall, cart, path } = await newCart(fixture);
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
      const hidden = await fixture.call(method, `${path}${below}`, { body, ifMatch: '"0"' });
      const unknown = await fixture.call(method, `/ord_unknown${below}`, { body, ifMatch: '"0"' });
      expect([method, below, hidden.status, hidden.text]).toEqual([method, below, 404, unknown.text]);
    }
    expect(await read(fixture, path)).toMatchObject({ state: 'open', listed: false, version: cart.version });
    const { data } = await fixture.call('GET', path);
    expect(data).toMatchObject({ id: cart.id, state: 'open', updatedAt: expect.stringMatching(/^20/) });
    expect(await listedIds()).not.toContain(cart.id);
  });

  test('the checkout makes it visible under the same id', async () => {
    const { cart, path } = await newCart(fixture);
    const contactNumber = newContact(fixture);
    done(await checkout(fixture, path, { contactNumber }));
    expect((await fixture.call('GET', path)).data).toMatchObject({
      id: cart.id,
      state: 'confirmed',
      contactNumber,
      pointOfSale: 'tickets.opera.example',
      paymentStatus: 'paid',
    });
    expect(await listedIds()).toContain(cart.id);
  });

  test('an abandoned or expired cart is not listed', async () => {
    const { path } = await newCart(fixture);
    done(await shopPost(fixture, `${path}/giving-up`));
    fixture.catalog.holdMs = 1;
    const expired = await newCart(fixture);
    fixture.catalog.holdMs = 900_000;
    expect(await read(fixture, expired.path)).toMatchObject({ state: 'expired', listed: false });
    expect((await fixture.call('GET', path)).data).toMatchObject({ state: 'cancelled' });
    expect((await fixture.call('GET', expired.path)).data).toMatchObject({ state: 'expired' });
    expect(await listedIds()).not.toContain(expired.cart.id);
  });

  test('cart operations refuse an order', async () => {
    const { cart, hall, path } = await newCart(fixture);
    done(await checkout(fixture, path, { contactNumber: newContact(fixture), paymentToken: 'pending' }));
    const line = `${path}/lines/${cart.lines[0]?.id}`;
    const gone = { outcome: 'refused', reason: 'cart_gone', order: { listed: true, state: 'payment_pending' } };
    expect(await shopPost(fixture, `${line}/removal`)).toMatchObject(gone);
    expect(await shopPost(fixture, `${line}/change`, { requestId: 'c', tariffId: hall.tariffId })).toMatchObject(gone);
    expect(await shopPost(fixture, `${path}/giving-up`)).toMatchObject(gone);
  });

  test('a cart of another institution is unknown', async () => {
    const { path } = await newCart(fixture);
    for (const each of [path, '/ord_unknown'])
      expect((await fixture.shop('GET', each, { institution: 'museum' })).status).toBe(404);
    expect((await fixture.shop('POST', `${path}/giving-up`, { institution: 'museum' })).status).toBe(404);
    expect((await fixture.shop('POST', `${path}/fault-cancellation`, { institution: 'museum' })).data).toEqual({
      cancelled: false,
      state: null,
    });
  });
});
