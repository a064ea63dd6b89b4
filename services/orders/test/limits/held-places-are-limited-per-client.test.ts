import { useFixture } from '@boxoffice/service/testkit';
import type { CollectionHandle } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createHoldLimit } from '../../src/steps/hold-limit.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines, openFixture, until } from '../fixture/fixture.ts';
import { failAndRecoverElsewhere } from '../fixture/orders.ts';

/** Repeats a request until it is allowed: places released by others are noticed with a delay. */
const until201 = async <Answer extends { readonly status: number }>(send: () => Promise<Answer>): Promise<Answer> => {
  let answer: Answer | undefined;
  await until(async () => {
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
    await until(async () => (await other.call('POST', '', { client: 'roaming', body })).status === 201);
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
    await until(async () => (await create(other.item(10))).status === 201);
  });

  test('places that another instance released after an outage of the catalog no longer count', async () => {
    const hall = fixture.catalog.hall(25);
    const create = () =>
      fixture.call<{ readonly id: string }>('POST', '', { client: 'patient', body: { items: [hall.item(10)] } });
    await failAndRecoverElsewhere(fixture, async () => expect((await create()).status).toBe(503));
    const made = await until201(create);
    // And of lines that could not be added.
    await fixture.call('POST', `/${made.data.id}/confirmation`, { client: 'patient', body: { onAccount: true } });
    const order = await until201(() =>
      fixture.call<{ readonly id: string }>('POST', '', { client: 'patient', body: { items: [hall.item(1)] } }),
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

  test('places count while their write is in flight, and no longer', async () => {
    const limit = createHoldLimit(fixture.context.orders, () => 5);
    const holder = { institution: 'opera', client: `busy-${Date.now()}` };
    const end = await limit.admit(holder, 3);
    await expect(limit.admit(holder, 3)).rejects.toMatchObject({ code: 'order_hold_limit' });
    end();
    const atOnce = [limit.admit(holder, 3), limit.admit(holder, 3)];
    expect((await Promise.allSettled(atOnce)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('additions to one order at the same time are counted together', async () => {
    const hall = fixture.catalog.hall(25);
    const { data } = await until201(() =>
      fixture.call<{ readonly id: string }>('POST', '', { client: 'eager', body: { items: [hall.item(1)] } }),
    );
    const add = () => fixture.call('POST', `/${data.id}/lines`, { client: 'eager', body: { items: [hall.item(6)] } });
    const codes = (await Promise.all(Array.from({ length: 4 }, add))).map(({ status }) => status);
    expect(codes.filter((status) => status === 201)).toHaveLength(1);
  });
});
