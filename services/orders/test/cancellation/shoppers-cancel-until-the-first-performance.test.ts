import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newCartId, newContact, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('shoppers cancel until the first performance starts, on $name', (engine) => {
  let fixture: Fixture;
  let contactNumber: string;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    contactNumber = newContact(fixture);
  });
  afterAll(() => fixture.close());

  const cancel = (path: string, requestId = 'cancel') =>
    shopPost(fixture, `${path}/cancellation`, { requestId, reason: 'we are ill' });
  const refused = { outcome: 'refused', reason: 'not_cancellable' };

  test('a shopper cancels a confirmed and a waiting order; a repeat succeeds, another request is refused', async () => {
    for (const paymentToken of ['ok', 'pending']) {
      const { path } = await newCart(fixture);
      done(await checkout(fixture, path, { contactNumber, paymentToken }));
      expect(done(await cancel(path)).state).toBe('cancelled');
      expect(done(await cancel(path)).state).toBe('cancelled');
      expect(await cancel(path, 'another')).toMatchObject({ ...refused, order: { state: 'cancelled' } });
      expect((await fixture.call('GET', path)).data).toMatchObject({
        state: 'cancelled',
        cancellation: { reason: 'we are ill' },
      });
    }
  });

  test('an order is not cancelled once one of its performances has started', async () => {
    const past = fixture.catalog.hall(2, { startDate: '2020-01-01T19:00:00.000Z' });
    const cart = done(await add(fixture, newCartId(), [fixture.catalog.hall(1).item(), past.item()]));
    done(await checkout(fixture, `/${cart.id}`, { contactNumber }));
    expect(await cancel(`/${cart.id}`)).toMatchObject({ ...refused, order: { state: 'confirmed' } });
  });

  test('an order with a controlled ticket is not cancelled', async () => {
    const { cart, path } = await newCart(fixture);
    const { lines } = done(await checkout(fixture, path, { contactNumber }));
    fixture.tickets.controlled.set(cart.id, [String(lines[0]?.ticketId)]);
    expect(await cancel(path)).toMatchObject({ ...refused, order: { state: 'confirmed' } });
  });

  test('an expired order is not cancelled; a cart and an unknown order are 404', async () => {
    const { path } = await newCart(fixture);
    expect((await fixture.shop('POST', `${path}/cancellation`, { body: { requestId: 'r' } })).status).toBe(404);
    expect((await fixture.shop('POST', '/ord_unknown/cancellation', { body: { requestId: 'r' } })).status).toBe(404);
    const hall = fixture.catalog.hall(1);
    const { data } = await fixture.call('POST', '', { body: { items: [hall.item()] } });
    fixture.catalog.holdMs = 1;
    const late = await fixture.call('POST', '', { body: { items: [fixture.catalog.hall(1).item()] } });
    fixture.catalog.holdMs = 900_000;
    expect(await cancel(`/${late.data.id}`)).toMatchObject({ ...refused, order: { state: 'expired' } });
    expect(done(await cancel(`/${data.id}`)).state).toBe('cancelled');
  });
});
