import { useFixture } from '@boxoffice/service/testkit';
import type { CollectionHandle } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createHoldLimit } from '../../src/saga/hold-limit.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines, openFixture, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCartId,
  createContact,
  createOrderInHall,
  failAndRecoverElsewhere,
  pay,
  postToShop,
  read,
  requireDone,
} from '../fixture/orders.ts';
import { buildPage, report } from '../fixture/provider.ts';

describe.each(engines)('places are held until the deadline, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { paymentGraceSeconds: 60 }));

  test('an extension counts from now, is at most 60 minutes, and never shortens the hold', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const extend = (minutes: unknown) => fixture.call('POST', `${path}/extension`, { body: { minutes } });
    const before = Date.now();
    expect((await extend(30)).status).toBe(200);
    const { expiresAt } = await read(fixture, path);
    expect(Date.parse(String(expiresAt))).toBeGreaterThanOrEqual(before + 30 * 60_000);
    expect(fixture.catalog.placesOf(order.id).map((place) => place.until)).toEqual(
      Array.from({ length: 2 }, () => Date.parse(String(expiresAt))),
    );
    expect((await extend(0.5)).status).toBe(200);
    expect((await read(fixture, path)).expiresAt).toBe(expiresAt);
    for (const minutes of [0, -1, 61]) expect((await extend(minutes)).code).toBe('validation_error');
    expect((await extend('5')).code).toBe('bad_request');
  });

  test('a reservation holds the places until a date in the future', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const reserve = (dueAt: string) => fixture.call('POST', `${path}/reservation`, { body: { dueAt } });
    expect(await reserve('2020-01-01T00:00:00Z')).toMatchObject({ status: 422, code: 'validation_error' });
    const dueAt = '2099-06-01T10:00:00.000Z';
    expect(await reserve(dueAt)).toMatchObject({ status: 200, data: { state: 'reserved', dueAt } });
    expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe(Date.parse(dueAt));
    expect((await reserve(dueAt)).status).toBe(412);
    expect((await fixture.confirm(path)).status).toBe(200);
  });

  test('an order past due expires when it is read, and publishes that once', async () => {
    const { path, order } = await fixture.catalog.expiring(() => createOrderInHall(fixture));
    await Promise.all(Array.from({ length: 8 }, () => read(fixture, path)));
    expect(await read(fixture, path)).toMatchObject({ state: 'expired', version: 2 });
    const placeIds = order.lines.map(({ place }) => place.id);
    await waitUntil(() => fixture.factsOf(order.id).length > 0);
    expect(fixture.factsOf(order.id)).toMatchObject([{ type: 'order.expired', data: { orderId: order.id, placeIds } }]);
  });

  test('open orders expire at the deadline, waiting ones after the grace period', async () => {
    const [open, waiting, reserved] = [
      await createOrderInHall(fixture),
      await createOrderInHall(fixture),
      await createOrderInHall(fixture),
    ];
    await pay(fixture, waiting.path, { status: 'pending' });
    await fixture.call('POST', `${reserved.path}/reservation`, { body: { dueAt: '2099-01-01T00:00:00Z' } });
    const state = async ({ order }: { order: { id: string } }) => (await fixture.document(order.id))?.state;
    const { later } = fixture;
    await later(900_000);
    expect([await state(open), await state(waiting), await state(reserved)]).toEqual([
      'expired',
      'payment_pending',
      'reserved',
    ]);
    await later(961_000);
    expect([await state(waiting), await state(reserved)]).toEqual(['expired', 'reserved']);
  });

  test('a service does its due work by itself', async () => {
    const working = await openFixture(engine, { works: true });
    const { order } = await working.catalog.expiring(() => createOrderInHall(working));
    await waitUntil(async () => (await working.document(order.id))?.state === 'expired');
    await working.close();
  });
});

/** Repeats a request until it is allowed: places released by others are noticed with a delay. */
const until201 = async <Answer extends { readonly status: number }>(send: () => Promise<Answer>): Promise<Answer> => {
  let answer: Answer | undefined;
  await waitUntil(async () => {
    answer = await send();
    return answer.status === 201;
  });
  return answer as Answer;
};

describe.each(engines)('held places are limited per client, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { maxHeldPlaces: 10 }));

  test('the limit is exact for concurrent requests', async () => {
    const hall = fixture.catalog.hall(60);
    const create = (quantity: number, client = 'greedy') =>
      fixture.call('POST', '', { client, body: { items: [hall.item(quantity)] } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(answers.flatMap(({ status, code }) => (status === 201 ? [] : [code])))).toEqual(
      new Set(['order_hold_limit']),
    );
    expect(fixture.catalog.count(hall).held).toBe(10);
    expect((await create(11, 'another')).code).toBe('order_hold_limit');
    expect((await create(10, 'another')).status).toBe(201);
    expect(fixture.catalog.count(hall).held).toBe(20);
    const [first, second] = answers.filter(({ status }) => status === 201);
    await fixture.call('POST', `/${first?.data.id}/confirmation`, { client: 'greedy', body: { onAccount: true } });
    expect((await create(2)).status).toBe(409);
    expect((await create(1)).status).toBe(201);
    await fixture.call('POST', `/${second?.data.id}/cancellation`, { client: 'greedy' });
    const more = await create(1);
    expect(more.status).toBe(201);
    const line = { body: { items: [hall.item()] } };
    expect((await fixture.call('POST', `/${more.data.id}/lines`, line)).code).toBe('order_hold_limit');
    expect((await fixture.call('GET', `/${more.data.id}`)).data.lines).toHaveLength(1);
  });

  test('another instance applies the limit, and notices released places after two seconds', async () => {
    const hall = fixture.catalog.hall(30);
    const other = await fixture.another();
    const body = { items: [hall.item(10)] };
    const own = await fixture.call('POST', '', { client: 'roaming', body });
    expect(own.status).toBe(201);
    expect((await other.call('POST', '', { client: 'roaming', body })).code).toBe('order_hold_limit');
    await fixture.call('POST', `/${own.data.id}/cancellation`);
    await waitUntil(async () => (await other.call('POST', '', { client: 'roaming', body })).status === 201);
  });

  test('refused orders and orders past due do not count', async () => {
    const hall = fixture.catalog.hall(15);
    const create = (item: object) => fixture.call('POST', '', { client: 'unlucky', body: { items: [item] } });
    fixture.catalog.refuse(hall, 'not_on_sale');
    for (let index = 0; index < 3; index += 1) expect((await create(hall.item(10))).code).toBe('order_not_on_sale');
    const other = fixture.catalog.hall(15);
    fixture.catalog.holdMs = 1;
    expect((await create(other.item(10))).status).toBe(201);
    fixture.catalog.holdMs = 900_000;
    await waitUntil(async () => (await create(other.item(10))).status === 201);
  });

  test('places that another instance released after an outage of the catalog no longer count', async () => {
    const hall = fixture.catalog.hall(25);
    const create = () => fixture.call('POST', '', { client: 'patient', body: { items: [hall.item(10)] } });
    await failAndRecoverElsewhere(fixture, async () => expect((await create()).status).toBe(503));
    const made = await until201(create);
    // And of lines that could not be added.
    await fixture.call('POST', `/${made.data.id}/confirmation`, { client: 'patient', body: { onAccount: true } });
    const order = await until201(() =>
      fixture.call('POST', '', { client: 'patient', body: { items: [hall.item(1)] } }),
    );
    const more = () =>
      fixture.call('POST', `/${order.data.id}/lines`, { client: 'patient', body: { items: [hall.item(9)] } });
    await failAndRecoverElsewhere(fixture, async () => expect((await more()).status).toBe(503));
    await until201(more);
  });

  test('holds of other instances count after two seconds, also if the system clock is set back', async () => {
    const [held, time] = [[] as object[], { now: Date.now(), elapsed: 0 }];
    const orders = { of: () => ({ find: async () => held }) } as unknown as CollectionHandle<OrderDocument>;
    const limit = createHoldLimit(orders, () => 5, { now: () => time.now, elapsed: () => time.elapsed });
    const holder = { institution: 'opera', client: 'set-back' };
    (await limit.admit(holder, 5))();
    held.push({ id: 'ord_2', heldPlaces: 5, deadline: time.now + 60_000 });
    time.now -= 3_600_000;
    time.elapsed += 2_001;
    await expect(limit.admit(holder, 1)).rejects.toMatchObject({ code: 'order_hold_limit' });
  });

  test('additions to one order at the same time are counted together', async () => {
    const hall = fixture.catalog.hall(25);
    const { data } = await until201(() =>
      fixture.call('POST', '', { client: 'eager', body: { items: [hall.item(1)] } }),
    );
    const add = () => fixture.call('POST', `/${data.id}/lines`, { client: 'eager', body: { items: [hall.item(6)] } });
    const codes = (await Promise.all(Array.from({ length: 4 }, add))).map(({ status }) => status);
    expect(codes.filter((status) => status === 201)).toHaveLength(1);
  });
});

describe.each(engines)('held places are limited per login, and without one per address, on $name', (engine) => {
  const fixture = useFixture(() =>
    openFixture(engine, { posHeldPlacesPerAddress: 5, posHeldPlacesPerLogin: 3, maxHeldPlaces: 8 }),
  );

  const refused = { outcome: 'refused', reason: 'hold_limit' };

  test('the limit is exact over all carts of an address and for concurrent requests', async () => {
    const hall = fixture.catalog.hall(40);
    const at = (address: string, cart = createCartId(), count = 1) =>
      add(fixture, cart, [hall.item(count)], { address });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => at('192.0.2.7')));
    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(5);
    for (const one of outcomes.filter(({ outcome }) => outcome !== 'done')) expect(one).toMatchObject(refused);
    expect(fixture.catalog.count(hall).held).toBe(5);
    const [first, second] = outcomes.flatMap(({ order }) => (order ? [order] : []));
    const more = { ...refused, order: { lines: first?.lines } };
    expect(await at('192.0.2.7', first?.id)).toMatchObject(more);
    expect(await at('192.0.2.8', createCartId(), 6)).toMatchObject({ ...refused, order: null });
    requireDone(await at('192.0.2.8', createCartId(), 5));
    requireDone(await buyCart(fixture, `/${first?.id}`, { contactNumber: createContact(fixture) }));
    requireDone(await postToShop(fixture, `/${second?.id}/giving-up`));
    requireDone(await at('192.0.2.7', createCartId(), 2));
    expect(await at('192.0.2.7')).toMatchObject(refused);
  });

  test('so a flood of payment pages is bounded: orders that wait for one count, those that were paid do not', async () => {
    const hall = fixture.catalog.hall(40);
    const at = (count: number) => add(fixture, createCartId(), [hall.item(count)], { address: '192.0.2.21' });
    const contactNumber = createContact(fixture);
    for (let sold = 0; sold < 3; sold += 1) {
      const { id } = requireDone(await at(3));
      const page = buildPage({ amount: 3_000 });
      requireDone(await buyCart(fixture, `/${id}`, { contactNumber, paymentMethod: 'stripe', page }));
      expect(await at(3)).toMatchObject(refused);
      expect((await report(fixture, id, page)).data.state).toBe('confirmed');
    }
  });

  test('a login has a limit of its own over all its sessions, whatever its address holds', async () => {
    const hall = fixture.catalog.hall(40);
    const at = { address: '203.0.113.9' };
    requireDone(await add(fixture, createCartId(), [hall.item(5)], at));
    expect(await add(fixture, createCartId(), [hall.item()], at)).toMatchObject(refused);
    const member = { ...at, login: `usr_${createCartId()}` };
    const [first, second] = [createCartId(), createCartId()];
    requireDone(await add(fixture, first, [hall.item(2)], member));
    requireDone(await add(fixture, second, [hall.item(1)], { ...member, address: '203.0.113.10' }));
    expect(await add(fixture, second, [hall.item()], member)).toMatchObject(refused);
    requireDone(await postToShop(fixture, `/${first}/giving-up`));
    requireDone(await add(fixture, second, [hall.item()], member));
    // The places of a login do not count for its address.
    const other = { address: '203.0.113.11', login: `usr_${createCartId()}` };
    requireDone(await add(fixture, createCartId(), [hall.item(3)], other));
    requireDone(await add(fixture, createCartId(), [hall.item(5)], { address: '203.0.113.11' }));
  });

  test('a cart from before the login counts for the login once it is filled further', async () => {
    const hall = fixture.catalog.hall(40);
    const at = { address: '203.0.113.12' };
    const member = { ...at, login: `usr_${createCartId()}` };
    const cart = createCartId();
    requireDone(await add(fixture, cart, [hall.item(2)], at));
    expect(await add(fixture, cart, [hall.item(2)], member)).toMatchObject(refused);
    requireDone(await add(fixture, cart, [hall.item()], member));
    expect(await add(fixture, createCartId(), [hall.item()], member)).toMatchObject(refused);
    requireDone(await add(fixture, createCartId(), [hall.item(5)], at));
  });

  test('the limit of an address does not count towards that of a client', async () => {
    const hall = fixture.catalog.hall(20);
    requireDone(await add(fixture, createCartId(), [hall.item(5)], { address: 'partner' }));
    const body = { items: [hall.item(8)] };
    expect((await fixture.call('POST', '', { body })).status).toBe(201);
    expect((await fixture.call('POST', '', { body: { items: [hall.item()] } })).code).toBe('order_hold_limit');
  });

  test('the address itself is not stored', async () => {
    const cart = requireDone(
      await add(fixture, createCartId(), [fixture.catalog.hall(1).item()], { address: '198.51.100.23' }),
    );
    const document = await fixture.document(cart.id);
    expect(JSON.stringify(document)).not.toContain('198.51.100.23');
  });
});
