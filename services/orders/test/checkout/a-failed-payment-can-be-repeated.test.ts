import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newContact, read, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('a failed payment can be repeated, on $name', (engine) => {
  let fixture: Fixture;
  let contactNumber: string;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    contactNumber = newContact(fixture, 'account');
  });
  afterAll(() => fixture.close());

  const payments = async (path: string) => {
    const { data } = await fixture.call<{ items: { id: string; status: string; amount: number }[] }>(
      'GET',
      `${path}/payments`,
    );
    return data.items;
  };
  const settle = async (path: string, status: 'captured' | 'failed', which = -1) =>
    fixture.call('PATCH', `${path}/payments/${(await payments(path)).at(which)?.id}`, { body: { status } });

  /** An order whose external payment, made by the request `first`, has failed. */
  const failed = async () => {
    const { hall, cart, path } = await newCart(fixture);
    done(await checkout(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'first' }));
    expect(await read(fixture, path)).toMatchObject({ state: 'payment_pending', payable: false });
    expect((await settle(path, 'failed')).data.state).toBe('open');
    return { hall, cart, path };
  };

  test('another request buys the same order with its hold, and the order stays listed', async () => {
    const { hall, cart, path } = await failed();
    expect(await read(fixture, path)).toMatchObject({ state: 'open', listed: true, payable: true, due: 2_000 });
    const order = done(
      await checkout(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'second' }),
    );
    expect(order).toMatchObject({ id: cart.id, state: 'payment_pending', listed: true, expiresAt: cart.expiresAt });
    expect((await settle(path, 'captured')).data.state).toBe('confirmed');
    expect((await payments(path)).map(({ status }) => status)).toEqual(['failed', 'captured']);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
  });

  test('a repeat of the request whose payment failed pays nothing, however late it comes', async () => {
    const { path } = await failed();
    const repeat = () => checkout(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'first' });
    expect(done(await repeat())).toMatchObject({ state: 'open', payable: true });
    done(await checkout(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'second' }));
    await settle(path, 'failed');
    expect(done(await repeat())).toMatchObject({ state: 'open', payable: true });
    expect(await payments(path)).toHaveLength(2);
  });

  test('of concurrent requests one pays', async () => {
    const other = await fixture.another();
    const { hall, path } = await failed();
    const tries = [fixture, other, fixture, other].map((each, index) =>
      checkout(each, path, { contactNumber, requestId: `again-${index % 2}` }),
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

  test('a failed payment cannot be captured', async () => {
    const { path } = await failed();
    expect((await settle(path, 'captured')).status).toBe(412);
    done(await checkout(fixture, path, { contactNumber, paymentMethod: 'external', requestId: 'second' }));
    expect((await settle(path, 'captured', 0)).status).toBe(412);
    expect((await settle(path, 'captured')).data.state).toBe('confirmed');
  });

  test('the order accepts added, removed and named places before, each request once', async () => {
    const { hall, cart, path } = await failed();
    const requestId = randomUUID();
    for (const _ of [1, 2]) done(await add(fixture, cart.id, [hall.item(1)], { requestId }));
    const [first, second] = (await read(fixture, path)).lines;
    done(await shopPost(fixture, `${path}/lines/${first?.id}/removal`));
    const name = { requestId: 'n', beneficiaryFirstName: 'Clara' };
    done(await shopPost(fixture, `${path}/lines/${second?.id}/change`, name));
    const order = done(await checkout(fixture, path, { contactNumber, requestId: 'second' }));
    expect(order).toMatchObject({ state: 'confirmed', total: 2_000, listed: true });
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
  });

  test('abandoning the cart cancels the order and releases its places', async () => {
    const { hall, path } = await failed();
    expect(done(await shopPost(fixture, `${path}/giving-up`))).toMatchObject({ state: 'cancelled', listed: true });
    expect(await checkout(fixture, path, { contactNumber, requestId: 'second' })).toMatchObject({
      reason: 'cart_gone',
    });
    await until(() => fixture.catalog.count(hall).free === 4);
  });

  test('if its places are gone, the order is cancelled', async () => {
    const { cart, path } = await failed();
    fixture.catalog.steal(String(cart.lines[0]?.place.id));
    const body = { contactNumber, paymentMethod: 'on_account', requestId: 'second' };
    expect(await checkout(fixture, path, body)).toMatchObject({ reason: 'places_gone', order: { state: 'cancelled' } });
    expect(await read(fixture, path)).toMatchObject({ state: 'cancelled', payable: false });
  });
});
