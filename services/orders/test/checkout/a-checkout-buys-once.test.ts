import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkOutCart } from '../../src/cart/checkout.ts';
import type { OrderDocument } from '../../src/store.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCart,
  createCartId,
  createContact,
  listPayments,
  postToShop,
  readCart,
  requireDone,
} from '../fixture/orders.ts';
import { moments, startDying, waitForever } from '../fixture/services.ts';

describeOnEachEngine('checkout', (fixture) => {
  let contactNumber: string;
  beforeAll(() => {
    contactNumber = createContact(fixture, 'account');
  });

  describe('a checkout buys once', () => {
    /** The confirmations published; instances that share a store may each publish the same event. */
    const confirmations = (id: string) => {
      const published = fixture.factsOf(id).filter(({ type }) => type === 'order.confirmed');
      return [...new Map(published.map((fact) => [fact.version, fact])).values()];
    };

    describe('by payment method', () => {
      test('on account confirms at once, without a payment', async () => {
        const { hall, path } = await createCart(fixture);
        const order = requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: 'on_account' }));
        expect(order).toMatchObject({ state: 'confirmed', contactNumber, listed: true, due: 2_000, expiresAt: null });
        expect(order.lines.every(({ ticketId }) => ticketId?.startsWith('tic_'))).toBe(true);
        expect(order.checkout).toMatchObject({ requestId: 'checkout', paymentMethod: 'on_account' });
        expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
      });

      test('on account needs a contact with an account', async () => {
        const { cart, path } = await createCart(fixture);
        const refused = await buyCart(fixture, path, {
          contactNumber: createContact(fixture),
          paymentMethod: 'on_account',
        });
        expect(refused).toMatchObject({ outcome: 'refused', reason: 'account_required', order: { state: 'open' } });
        expect(await readCart(fixture, path)).toEqual(cart);
      });

      test('an order of nothing is confirmed at once, whatever the method, also by a guest without an account', async () => {
        for (const paymentMethod of ['on_account', 'external', 'simulated', 'stripe']) {
          const hall = fixture.catalog.hall(1);
          const item = { ...hall.item(1), tariffId: fixture.catalog.tariff(hall, 0) };
          const { id } = requireDone(await add(fixture, createCartId(), [item]));
          const guest = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' };
          const order = requireDone(
            await buyCart(fixture, `/${id}`, { guest, paymentMethod, paymentToken: 'declined' }),
          );
          expect(order).toMatchObject({ state: 'confirmed', total: 0, due: 0 });
        }
      });

      test('external waits with a pending payment of the amount due, until the institution captures it', async () => {
        const { hall, cart, path } = await createCart(fixture);
        const order = requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: 'external' }));
        expect(order).toMatchObject({ state: 'payment_pending', due: 2_000, expiresAt: cart.expiresAt });
        expect(Date.parse(String(order.deadline))).toBe(Date.parse(String(cart.expiresAt)) + 900_000);
        expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
        const [payment, ...others] = await listPayments(fixture, path);
        expect([payment, others]).toMatchObject([{ status: 'pending', amount: 2_000, method: 'external' }, []]);
        expect(fixture.tickets.issuesOf(order.id)).toEqual([]);
        const captured = await fixture.call('PATCH', `${path}/payments/${payment?.id}`, {
          body: { status: 'captured' },
        });
        expect(captured.data.state).toBe('confirmed');
        expect(fixture.tickets.issuesOf(order.id)).toHaveLength(1);
        expect(requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: 'external' })).state).toBe(
          'confirmed',
        );
      });

      test('simulated captures with ok, waits with pending, and leaves the cart unchanged with declined', async () => {
        const { path } = await createCart(fixture);
        expect(requireDone(await buyCart(fixture, path, { contactNumber }))).toMatchObject({
          state: 'confirmed',
          due: 0,
        });
        const second = await createCart(fixture);
        const pending = requireDone(await buyCart(fixture, second.path, { contactNumber, paymentToken: 'pending' }));
        expect(pending).toMatchObject({ state: 'payment_pending', due: 2_000 });
        const third = await createCart(fixture);
        const declined = await buyCart(fixture, third.path, { contactNumber, paymentToken: 'declined' });
        expect(declined).toMatchObject({ outcome: 'refused', reason: 'payment_declined', order: { listed: false } });
        expect(await readCart(fixture, third.path)).toEqual(third.cart);
        requireDone(await buyCart(fixture, third.path, { contactNumber, requestId: 'once-more' }));
      });

      test('a cart free of charge is confirmed with every method', async () => {
        for (const paymentMethod of ['external', 'simulated']) {
          const { path } = await createCart(fixture, 1, fixture.catalog.hall(1, { amount: 0 }));
          const order = requireDone(
            await buyCart(fixture, path, { contactNumber: createContact(fixture), paymentMethod }),
          );
          expect(order).toMatchObject({ state: 'confirmed', total: 0 });
        }
      });
    });

    describe('is refused', () => {
      test('for an empty cart, an abandoned one and an expired one', async () => {
        const { cart, path } = await createCart(fixture, 1);
        requireDone(await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/removal`));
        expect(await buyCart(fixture, path, { contactNumber })).toMatchObject({ reason: 'empty' });
        const gone = await createCart(fixture);
        requireDone(await postToShop(fixture, `${gone.path}/giving-up`));
        expect(await buyCart(fixture, gone.path, { contactNumber })).toMatchObject({ reason: 'cart_gone' });
        const expired = await fixture.catalog.expiring(() => createCart(fixture));
        const late = { outcome: 'refused', reason: 'cart_expired', order: { state: 'expired', listed: false } };
        expect(await buyCart(fixture, expired.path, { contactNumber })).toMatchObject(late);
        expect((await fixture.shop('POST', '/ord_unknown/checkout', { body: {} })).status).toBe(400);
        const body = { requestId: 'r', contactNumber, paymentMethod: 'external' };
        expect((await fixture.shop('POST', '/ord_unknown/checkout', { body })).status).toBe(404);
      });

      test('for a contact that is unknown or erased, or lacks the criterion of a tariff', async () => {
        const hall = fixture.catalog.hall(2);
        const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 300, 'member') };
        const cart = requireDone(
          await add(fixture, createCartId(), [{ ...item, contactNumber: createContact(fixture, 'member') }]),
        );
        const path = `/${cart.id}`;
        const erased = createContact(fixture, 'member');
        fixture.contacts.known.set(erased, '2027-01-01T00:00:00.000Z');
        for (const other of ['C-unknown', erased])
          expect(await buyCart(fixture, path, { contactNumber: other })).toMatchObject({ reason: 'invalid_reference' });
        const stranger = await buyCart(fixture, path, { contactNumber: createContact(fixture) });
        expect(stranger).toMatchObject({
          outcome: 'refused',
          reason: 'tariff_not_accessible',
          order: { listed: false },
        });
        expect(await readCart(fixture, path)).toEqual(cart);
      });

      test('when places are gone: the order is cancelled, and a repeat returns it', async () => {
        const { hall, cart, path } = await createCart(fixture);
        fixture.catalog.steal(String(cart.lines[0]?.place.id));
        const gone = { outcome: 'refused', reason: 'places_gone', order: { state: 'cancelled' } };
        expect(await buyCart(fixture, path, { contactNumber })).toMatchObject(gone);
        expect(await readCart(fixture, path)).toMatchObject({ state: 'cancelled', listed: true });
        expect(requireDone(await buyCart(fixture, path, { contactNumber })).state).toBe('cancelled');
        expect(fixture.catalog.count(hall).sold).toBe(1);
      });
    });

    test('concurrent repeats on two instances create one order and sell once', async () => {
      const other = await fixture.another();
      for (const body of [{ paymentMethod: 'on_account' }, { paymentToken: 'ok' }, { paymentMethod: 'external' }]) {
        const { cart, path } = await createCart(fixture);
        // On a slow machine, one that waits for the others' step may be told to come again.
        const click = async (each: Parameters<typeof buyCart>[0]) => {
          for (;;) {
            const outcome = await buyCart(each, path, { contactNumber, ...body });
            if (outcome.reason !== 'busy') return outcome;
          }
        };
        const clicks = [fixture, other, fixture, other].map(click);
        const orders = (await Promise.all(clicks)).map(requireDone);
        expect(new Set(orders.map(({ id }) => id))).toEqual(new Set([cart.id]));
        expect(await readCart(fixture, path)).toMatchObject({ total: 2_000 });
        expect(await listPayments(fixture, path)).toHaveLength(body.paymentMethod === 'on_account' ? 0 : 1);
        if (body.paymentMethod !== 'external') await waitUntil(() => confirmations(cart.id).length === 1);
      }
    });

    test('another request is refused because the cart was bought, with the order', async () => {
      const { path } = await createCart(fixture);
      requireDone(await buyCart(fixture, path, { contactNumber }));
      const second = await buyCart(fixture, path, { contactNumber: createContact(fixture), requestId: 'another' });
      expect(second).toMatchObject({
        outcome: 'refused',
        reason: 'cart_gone',
        order: { state: 'confirmed', contactNumber },
      });
    });

    test('without an answer of the catalog the outcome is unknown, and a repeat returns the order', async () => {
      for (const mishap of ['fails', 'lost'] as const) {
        const { hall, cart, path } = await createCart(fixture);
        fixture.catalog.mishaps.set('sellHold', mishap);
        const body = { requestId: 'r', contactNumber, paymentMethod: 'on_account' };
        expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
        fixture.catalog.mishaps.clear();
        expect(requireDone(await buyCart(fixture, path, body)).state).toBe('confirmed');
        expect(fixture.catalog.count(hall).sold).toBe(2);
        await waitUntil(() => confirmations(cart.id).length === 1);
      }
    });

    test('a checkout whose order is cancelled during the sale is refused, and the payment stays recorded', async () => {
      const { hall, path } = await createCart(fixture);
      const cancel = async () => {
        fixture.catalog.before.clear();
        await fixture.shop('POST', `${path}/cancellation`, { body: { requestId: 'c' } });
      };
      fixture.catalog.before.set('sellHold', cancel);
      const refused = await buyCart(fixture, path, { contactNumber });
      expect(refused).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'cancelled' } });
      expect((await fixture.call('GET', path)).data).toMatchObject({ paid: 2_000 });
      expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 0 });
    });

    test('without an answer of contacts the checkout changes nothing', async () => {
      const { cart, path } = await createCart(fixture);
      fixture.contacts.mishaps.set('*', 'fails');
      const body = { requestId: 'r', contactNumber, paymentMethod: 'external' };
      expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
      fixture.contacts.mishaps.clear();
      expect(await readCart(fixture, path)).toEqual(cart);
    });

    test('tickets receive the start date, the product and the beneficiary', async () => {
      const { cart, path } = await createCart(fixture);
      const name = { requestId: 'a', beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' };
      requireDone(await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
      requireDone(await buyCart(fixture, path, { contactNumber }));
      await waitUntil(() => confirmations(cart.id).length === 1);
      const evening = { productId: 'prd_1', startDate: '2099-03-14T19:30:00.000Z' };
      const [{ data } = { data: {} }] = confirmations(cart.id);
      expect(data).toMatchObject({ contactNumber, tickets: [evening, evening] });
      expect(JSON.stringify(data)).not.toContain('Haskil');
      expect(fixture.tickets.issuesOf(cart.id).at(-1)).toMatchObject({
        contactNumber,
        tickets: [{ ...evening, beneficiary: { firstName: 'Clara', lastName: 'Haskil' } }, evening],
      });
    });
  });

  describe('a checkout survives a crash', () => {
    /** The call of the catalog at which the process of a checkout dies, before or after it takes effect. */
    const deaths = [
      ['sell', 'before'],
      ['sell', 'after'],
      ['extend', 'before'],
      ['extend', 'after'],
    ] as const;

    const requestFor = (call: 'sell' | 'extend') =>
      ({
        requestId: 'r',
        contactNumber,
        paymentMethod: 'simulated',
        paymentToken: call === 'sell' ? 'ok' : 'pending',
      }) as const;

    /** A cart whose checkout died at this call. */
    const died = async (call: 'sell' | 'extend', when: 'before' | 'after') => {
      const { hall, cart, path } = await createCart(fixture);
      const target = { institution: 'opera', orderId: cart.id };
      startDying(fixture, call, when, (context) => checkOutCart(context, target, requestFor(call)));
      if (call === 'sell') await waitUntil(async () => (await fixture.document(cart.id))?.saleDue != null);
      const isDone = (order: OrderDocument | undefined) =>
        call === 'sell'
          ? fixture.catalog.count(hall).sold === 2
          : fixture.catalog.placesOf(cart.id).every(({ until: end }) => end > (order?.deadline ?? 0));
      if (when === 'after') await waitUntil(async () => isDone(await fixture.document(cart.id)));
      return { hall, cart, path };
    };

    const end = (call: 'sell' | 'extend') => (call === 'sell' ? 'confirmed' : 'payment_pending');

    test.each(deaths)(
      'after a crash at the call %s, %s it takes effect, a repeat returns the order',
      async (call, when) => {
        const { hall, path } = await died(call, when);
        expect(requireDone(await buyCart(fixture, path, requestFor(call))).state).toBe(end(call));
        expect(fixture.catalog.count(hall)).toMatchObject(
          call === 'sell' ? { sold: 2, held: 0 } : { sold: 0, held: 2 },
        );
        expect(await listPayments(fixture, path)).toHaveLength(1);
      },
    );

    test.each(moments)(
      'after a crash %s the sale the due work confirms the order, which nobody buys again',
      async (when) => {
        const { hall, cart, path } = await died('sell', when);
        await fixture.later();
        expect(await fixture.document(cart.id)).toMatchObject({ state: 'confirmed', saleDue: null });
        expect(requireDone(await buyCart(fixture, path, requestFor('sell'))).state).toBe('confirmed');
        const other = await buyCart(fixture, path, { ...requestFor('sell'), requestId: 'another' });
        expect(other).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { listed: true } });
        expect(fixture.catalog.count(hall).sold).toBe(2);
      },
    );

    test.each(moments)(
      'after a crash %s the extension it still is a cart, which another request buys',
      async (when) => {
        const { hall, path } = await died('extend', when);
        const other = await buyCart(fixture, path, { ...requestFor('sell'), requestId: 'another' });
        expect(requireDone(other).state).toBe('confirmed');
        expect(fixture.catalog.count(hall).sold).toBe(2);
      },
    );

    test('after a crash between a refused sale and the cancellation, a repeat cancels the order', async () => {
      const { cart, path } = await createCart(fixture);
      fixture.catalog.steal(String(cart.lines[0]?.place.id));
      const target = { institution: 'opera', orderId: cart.id };
      // The process dies as soon as the sale has failed and is written.
      const orders = fixture.context.orders.of('opera');
      let writes = 0;
      const update: typeof orders.update = (...args) => (writes++ < 2 ? orders.update(...args) : waitForever());
      const context = { ...fixture.context, orders: { ...fixture.context.orders, of: () => ({ ...orders, update }) } };
      checkOutCart(context, target, requestFor('sell')).catch(() => undefined);
      await waitUntil(async () => {
        const order = await fixture.document(cart.id);
        return order?.listedAt !== null && order?.saleDue == null;
      });
      expect(await readCart(fixture, path)).toMatchObject({ state: 'open', listed: true });
      const repeated = await buyCart(fixture, path, requestFor('sell'));
      expect(repeated).toMatchObject({ outcome: 'refused', reason: 'places_gone', order: { state: 'cancelled' } });
    });
  });

  describe('a failed payment can be repeated', () => {
    const payments = (path: string) => listPayments(fixture, path);
    const settle = async (path: string, status: 'captured' | 'failed', which = -1) =>
      fixture.call('PATCH', `${path}/payments/${(await payments(path)).at(which)?.id}`, { body: { status } });

    /** An order whose external payment, made by the request `first`, has failed. */
    const failed = async () => {
      const { hall, cart, path } = await createCart(fixture);
      requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'first' }));
      expect(await readCart(fixture, path)).toMatchObject({ state: 'payment_pending', payable: false });
      expect((await settle(path, 'failed')).data.state).toBe('open');
      return { hall, cart, path };
    };

    test('another request buys the same order with its hold, and the order stays listed', async () => {
      const { hall, cart, path } = await failed();
      expect(await readCart(fixture, path)).toMatchObject({ state: 'open', listed: true, payable: true, due: 2_000 });
      const order = requireDone(
        await buyCart(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'second' }),
      );
      expect(order).toMatchObject({ id: cart.id, state: 'payment_pending', listed: true, expiresAt: cart.expiresAt });
      expect((await settle(path, 'captured')).data.state).toBe('confirmed');
      expect((await payments(path)).map(({ status }) => status)).toEqual(['failed', 'captured']);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('a repeat of the request whose payment failed pays nothing, however late it comes', async () => {
      const { path } = await failed();
      const repeat = () => buyCart(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'first' });
      expect(requireDone(await repeat())).toMatchObject({ state: 'open', payable: true });
      requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'second' }));
      await settle(path, 'failed');
      expect(requireDone(await repeat())).toMatchObject({ state: 'open', payable: true });
      expect(await payments(path)).toHaveLength(2);
    });

    test('of concurrent requests one pays', async () => {
      const other = await fixture.another();
      const { hall, path } = await failed();
      const tries = [fixture, other, fixture, other].map((each, index) =>
        buyCart(each, path, { contactNumber, requestId: `again-${index % 2}` }),
      );
      const outcomes = await Promise.all(tries);
      expect(new Set(outcomes.map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(
        new Set(['done null', 'refused cart_gone']),
      );
      expect((await payments(path)).map(({ status }) => status)).toEqual(['failed', 'captured']);
      expect(fixture.catalog.count(hall).sold).toBe(2);
      const published = fixture.facts.filter(({ type, key }) => type === 'order.confirmed' && `/${key}` === path);
      expect(new Set(published.map(({ version }) => version)).size).toBeLessThanOrEqual(1);
    });

    test('the order accepts added, removed and named places before, each request once', async () => {
      const { hall, cart, path } = await failed();
      const requestId = randomUUID();
      for (const _ of [1, 2]) requireDone(await add(fixture, cart.id, [hall.item(1)], { requestId }));
      const [first, second] = (await readCart(fixture, path)).lines;
      requireDone(await postToShop(fixture, `${path}/lines/${first?.id}/removal`));
      const name = { requestId: 'n', beneficiaryFirstName: 'Clara' };
      requireDone(await postToShop(fixture, `${path}/lines/${second?.id}/change`, name));
      const order = requireDone(await buyCart(fixture, path, { contactNumber, requestId: 'second' }));
      expect(order).toMatchObject({ state: 'confirmed', total: 2_000, listed: true });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('abandoning the cart cancels the order and releases its places', async () => {
      const { hall, path } = await failed();
      expect(requireDone(await postToShop(fixture, `${path}/giving-up`))).toMatchObject({
        state: 'cancelled',
        listed: true,
      });
      expect(await buyCart(fixture, path, { contactNumber, requestId: 'second' })).toMatchObject({
        reason: 'cart_gone',
      });
      await waitUntil(() => fixture.catalog.count(hall).free === 4);
    });
  });

  describe('a cancellation after a fault reports whether it is durable', () => {
    const certainty = async (path: string, body?: object) =>
      (await fixture.shop<{ cancelled: boolean; state: string | null }>('POST', `${path}/fault-cancellation`, { body }))
        .data;
    const cancelled = { cancelled: true, state: 'cancelled' };

    test('a cart without a checkout is cancelled, and a late checkout is refused', async () => {
      const { path } = await createCart(fixture);
      expect(await certainty(path)).toEqual(cancelled);
      expect(await certainty(path)).toEqual(cancelled);
      expect(await buyCart(fixture, path, { contactNumber })).toMatchObject({
        outcome: 'refused',
        reason: 'cart_gone',
      });
    });

    test.each([
      ['fails', 'simulated'],
      ['lost', 'simulated'],
      ['fails', 'on_account'],
      ['lost', 'on_account'],
    ] as const)('a sale with an unknown outcome (%s, %s) is cancelled at once', async (mishap, paymentMethod) => {
      const { path, hall } = await createCart(fixture);
      fixture.catalog.mishaps.set('sellHold', mishap);
      const body = { requestId: 'checkout', contactNumber, paymentMethod };
      expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(503);
      expect(await certainty(path)).toEqual(cancelled);
      fixture.catalog.mishaps.clear();
      const isListed = paymentMethod === 'simulated';
      expect(await readCart(fixture, path)).toMatchObject({ state: 'cancelled', listed: isListed });
      const again = isListed ? { outcome: 'done' } : { outcome: 'refused', reason: 'cart_gone' };
      expect(await buyCart(fixture, path, body)).toMatchObject({ ...again, order: { state: 'cancelled' } });
      const ofOrder = () => fixture.factsOf(path.slice(1)).filter(({ type }) => type === 'order.cancelled');
      await waitUntil(() => ofOrder().length > 0);
      expect(ofOrder()[0]?.data).toMatchObject({ hadTickets: false });
      for (const fact of ofOrder()) fixture.catalog.receive(fact);
      expect(fixture.catalog.count(hall)).toMatchObject({ held: 0, sold: 0 });
    });

    test('an order whose answer was lost is cancelled, confirmed or waiting for its payment', async () => {
      for (const paymentToken of ['ok', 'pending']) {
        const { path } = await createCart(fixture);
        requireDone(await buyCart(fixture, path, { contactNumber, paymentToken }));
        expect(await certainty(path)).toEqual(cancelled);
      }
    });

    test('a cancellation after notAfter changes nothing', async () => {
      const { path } = await createCart(fixture);
      requireDone(await buyCart(fixture, path, { contactNumber }));
      const late = { notAfter: new Date(Date.now() - 1).toISOString() };
      expect(await certainty(path, late)).toEqual({ cancelled: false, state: 'confirmed' });
      const inTime = { notAfter: new Date(Date.now() + 60_000).toISOString() };
      expect(await certainty(path, inTime)).toEqual(cancelled);
    });

    test('an unknown or expired order and one with a controlled ticket are not cancelled', async () => {
      expect(await certainty(`/${createCartId()}`)).toEqual({ cancelled: false, state: null });
      const expired = await fixture.catalog.expiring(() => createCart(fixture));
      expect(await certainty(expired.path)).toEqual({ cancelled: false, state: 'expired' });
      const { cart, path } = await createCart(fixture);
      const { lines } = requireDone(await buyCart(fixture, path, { contactNumber }));
      fixture.tickets.controlled.set(cart.id, [String(lines[0]?.ticketId)]);
      expect(await certainty(path)).toEqual({ cancelled: false, state: 'confirmed' });
    });

    test('a sale in progress is not waited for, and buys nothing', async () => {
      const { path, hall } = await createCart(fixture);
      const [begun, cancellation] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      fixture.catalog.before.set('sellHold', () => {
        begun.resolve();
        return cancellation.promise;
      });
      const bought = fixture.shop('POST', `${path}/checkout`, {
        body: { requestId: 'r', contactNumber, paymentMethod: 'on_account' },
      });
      await begun.promise;
      expect(await certainty(path)).toEqual(cancelled);
      cancellation.resolve();
      expect(await bought).toMatchObject({ status: 200, data: { outcome: 'refused', reason: 'cart_gone' } });
      fixture.catalog.before.clear();
      expect(await readCart(fixture, path)).toMatchObject({ state: 'cancelled' });
      expect(fixture.catalog.count(hall).sold).toBe(0);
    });
  });
});
