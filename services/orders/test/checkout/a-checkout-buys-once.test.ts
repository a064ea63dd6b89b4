import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newCartId, newContact, read, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('a checkout buys once, on $name', (engine) => {
  let fixture: Fixture;
  let contactNumber: string;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    contactNumber = newContact(fixture, 'account');
  });
  afterAll(() => fixture.close());

  /** The confirmations published; instances that share a store may each publish the same event. */
  const confirmations = (id: string) => {
    const published = fixture.facts.filter(({ type, key }) => type === 'order.confirmed' && key === id);
    return [...new Map(published.map((fact) => [fact.version, fact])).values()];
  };

  describe('by payment method', () => {
    test('on account confirms at once, without a payment', async () => {
      const { hall, path } = await newCart(fixture);
      const order = done(await checkout(fixture, path, { contactNumber, paymentMethod: 'on_account' }));
      expect(order).toMatchObject({ state: 'confirmed', contactNumber, listed: true, due: 2_000, expiresAt: null });
      expect(order.lines.every(({ ticketId }) => ticketId?.startsWith('tic_'))).toBe(true);
      expect(order.checkout).toMatchObject({ requestId: 'checkout', paymentMethod: 'on_account' });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('on account needs a contact with an account', async () => {
      const { cart, path } = await newCart(fixture);
      const refused = await checkout(fixture, path, {
        contactNumber: newContact(fixture),
        paymentMethod: 'on_account',
      });
      expect(refused).toMatchObject({ outcome: 'refused', reason: 'account_required', order: { state: 'open' } });
      expect(await read(fixture, path)).toEqual(cart);
    });

    test('external waits with a pending payment of the amount due, until the institution captures it', async () => {
      const { hall, cart, path } = await newCart(fixture);
      const order = done(await checkout(fixture, path, { contactNumber, paymentMethod: 'external' }));
      expect(order).toMatchObject({ state: 'payment_pending', due: 2_000, expiresAt: cart.expiresAt });
      expect(Date.parse(String(order.deadline))).toBe(Date.parse(String(cart.expiresAt)) + 900_000);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
      const { data } = await fixture.call<{ items: { id: string; status: string; amount: number; method: string }[] }>(
        'GET',
        `${path}/payments`,
      );
      expect(data.items).toMatchObject([{ status: 'pending', amount: 2_000, method: 'external' }]);
      const issued = () =>
        fixture.tickets.calls.filter(
          ({ operation, body }) =>
            operation === 'issueTickets' && (body as { readonly orderId?: string }).orderId === order.id,
        );
      expect(issued()).toEqual([]);
      const captured = await fixture.call('PATCH', `${path}/payments/${data.items[0]?.id}`, {
        body: { status: 'captured' },
      });
      expect(captured.data.state).toBe('confirmed');
      expect(issued()).toHaveLength(1);
      expect(done(await checkout(fixture, path, { contactNumber, paymentMethod: 'external' })).state).toBe('confirmed');
    });

    test('simulated captures with ok, waits with pending, and leaves the cart unchanged with declined', async () => {
      const { path } = await newCart(fixture);
      expect(done(await checkout(fixture, path, { contactNumber }))).toMatchObject({ state: 'confirmed', due: 0 });
      const second = await newCart(fixture);
      const pending = done(await checkout(fixture, second.path, { contactNumber, paymentToken: 'pending' }));
      expect(pending).toMatchObject({ state: 'payment_pending', due: 2_000 });
      const third = await newCart(fixture);
      const declined = await checkout(fixture, third.path, { contactNumber, paymentToken: 'declined' });
      expect(declined).toMatchObject({ outcome: 'refused', reason: 'payment_declined', order: { listed: false } });
      expect(await read(fixture, third.path)).toEqual(third.cart);
      done(await checkout(fixture, third.path, { contactNumber, requestId: 'once-more' }));
    });

    test('a cart free of charge is confirmed with every method', async () => {
      for (const paymentMethod of ['external', 'simulated']) {
        const { path } = await newCart(fixture, 1, fixture.catalog.hall(1, { amount: 0 }));
        const order = done(await checkout(fixture, path, { contactNumber: newContact(fixture), paymentMethod }));
        expect(order).toMatchObject({ state: 'confirmed', total: 0 });
      }
    });
  });

  describe('is refused', () => {
    test('for an empty cart, an abandoned one and an expired one', async () => {
      const { cart, path } = await newCart(fixture, 1);
      done(await shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/removal`));
      expect(await checkout(fixture, path, { contactNumber })).toMatchObject({ reason: 'empty' });
      const gone = await newCart(fixture);
      done(await shopPost(fixture, `${gone.path}/giving-up`));
      expect(await checkout(fixture, gone.path, { contactNumber })).toMatchObject({ reason: 'cart_gone' });
      fixture.catalog.holdMs = 1;
      const expired = await newCart(fixture);
      fixture.catalog.holdMs = 900_000;
      const late = { outcome: 'refused', reason: 'cart_expired', order: { state: 'expired', listed: false } };
      expect(await checkout(fixture, expired.path, { contactNumber })).toMatchObject(late);
      expect((await fixture.shop('POST', '/ord_unknown/checkout', { body: {} })).status).toBe(400);
      const body = { requestId: 'r', contactNumber, paymentMethod: 'external' };
      expect((await fixture.shop('POST', '/ord_unknown/checkout', { body })).status).toBe(404);
    });

    test('for a contact that is unknown or erased, or lacks the criterion of a tariff', async () => {
      const hall = fixture.catalog.hall(2);
      const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 300, 'member') };
      const cart = done(await add(fixture, newCartId(), [{ ...item, contactNumber: newContact(fixture, 'member') }]));
      const path = `/${cart.id}`;
      const erased = newContact(fixture, 'member');
      fixture.contacts.known.set(erased, '2027-01-01T00:00:00.000Z');
      for (const other of ['C-unknown', erased])
        expect(await checkout(fixture, path, { contactNumber: other })).toMatchObject({ reason: 'invalid_reference' });
      const stranger = await checkout(fixture, path, { contactNumber: newContact(fixture) });
      expect(stranger).toMatchObject({ outcome: 'refused', reason: 'tariff_not_accessible', order: { listed: false } });
      expect(await read(fixture, path)).toEqual(cart);
    });

    test('when places are gone: the order is cancelled, and a repeat returns it', async () => {
      const { hall, cart, path } = await newCart(fixture);
      fixture.catalog.steal(String(cart.lines[0]?.place.id));
      const gone = { outcome: 'refused', reason: 'places_gone', order: { state: 'cancelled' } };
      expect(await checkout(fixture, path, { contactNumber })).toMatchObject(gone);
      expect(await read(fixture, path)).toMatchObject({ state: 'cancelled', listed: true });
      expect(done(await checkout(fixture, path, { contactNumber })).state).toBe('cancelled');
      expect(fixture.catalog.count(hall).sold).toBe(1);
    });
  });

  test('concurrent repeats on two instances create one order and sell once', async () => {
    const other = await fixture.another();
    for (const body of [{ paymentMethod: 'on_account' }, { paymentToken: 'ok' }, { paymentMethod: 'external' }]) {
      const { cart, path } = await newCart(fixture);
      // On a slow machine, one that waits for the others' step may be told to come again.
      const click = async (each: Parameters<typeof checkout>[0]) => {
        for (;;) {
          const outcome = await checkout(each, path, { contactNumber, ...body });
          if (outcome.reason !== 'busy') return outcome;
        }
      };
      const clicks = [fixture, other, fixture, other].map(click);
      const orders = (await Promise.all(clicks)).map(done);
      expect(new Set(orders.map(({ id }) => id))).toEqual(new Set([cart.id]));
      expect(await read(fixture, path)).toMatchObject({ total: 2_000 });
      const { data } = await fixture.call<{ items: object[] }>('GET', `${path}/payments`);
      expect(data.items).toHaveLength(body.paymentMethod === 'on_account' ? 0 : 1);
      if (body.paymentMethod !== 'external') await until(() => confirmations(cart.id).length === 1);
    }
  });

  test('another request is refused because the cart was bought, with the order', async () => {
    const { path } = await newCart(fixture);
    done(await checkout(fixture, path, { contactNumber }));
    const second = await checkout(fixture, path, { contactNumber: newContact(fixture), requestId: 'another' });
    expect(second).toMatchObject({
      outcome: 'refused',
      reason: 'cart_gone',
      order: { state: 'confirmed', contactNumber },
    });
  });

  test('without an answer of the catalog the outcome is unknown, and a repeat returns the order', async () => {
    for (const mishap of ['fails', 'lost'] as const) {
      const { hall, cart, path } = await newCart(fixture);
      fixture.catalog.mishaps.set('sellHold', mishap);
      const body = { requestId: 'r', contactNumber, paymentMethod: 'on_account' };
      expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
      fixture.catalog.mishaps.clear();
      expect(done(await checkout(fixture, path, body)).state).toBe('confirmed');
      expect(fixture.catalog.count(hall).sold).toBe(2);
      await until(() => confirmations(cart.id).length === 1);
    }
  });

  test('a checkout whose order is cancelled during the sale is refused, and the payment stays recorded', async () => {
    const { hall, path } = await newCart(fixture);
    const cancel = async () => {
      fixture.catalog.before.clear();
      await fixture.shop('POST', `${path}/cancellation`, { body: { requestId: 'c' } });
    };
    fixture.catalog.before.set('sellHold', cancel);
    const refused = await checkout(fixture, path, { contactNumber });
    expect(refused).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'cancelled' } });
    expect((await fixture.call('GET', path)).data).toMatchObject({ paid: 2_000 });
    expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 0 });
  });

  test('without an answer of contacts the checkout changes nothing', async () => {
    const { cart, path } = await newCart(fixture);
    fixture.contacts.mishaps.set('*', 'fails');
    const body = { requestId: 'r', contactNumber, paymentMethod: 'external' };
    expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
    fixture.contacts.mishaps.clear();
    expect(await read(fixture, path)).toEqual(cart);
  });

  test('tickets receive the start date, the product and the beneficiary', async () => {
    const { cart, path } = await newCart(fixture);
    const name = { requestId: 'a', beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' };
    done(await shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    done(await checkout(fixture, path, { contactNumber }));
    await until(() => confirmations(cart.id).length === 1);
    const evening = { productId: 'prd_1', startDate: '2027-03-14T19:30:00.000Z' };
    const [{ data } = { data: {} }] = confirmations(cart.id);
    expect(data).toMatchObject({ contactNumber, tickets: [evening, evening] });
    expect(JSON.stringify(data)).not.toContain('Haskil');
    const issued = fixture.tickets.calls.findLast(({ operation }) => operation === 'issueTickets');
    expect(issued?.body).toMatchObject({
      contactNumber,
      tickets: [{ ...evening, beneficiary: { firstName: 'Clara', lastName: 'Haskil' } }, evening],
    });
  });
});
