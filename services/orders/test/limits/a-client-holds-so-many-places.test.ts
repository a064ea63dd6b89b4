import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../stand/engines.ts';
import { openStand, type Stand, until } from '../stand/stand.ts';

describe.each(engines)('a client holds so many unsold places, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine, { maxHeldPlaces: 10 });
  });
  afterAll(() => stand.close());

  test('exactly, however many come at once', async () => {
    const hall = stand.catalog.hall(60);
    const create = (quantity: number, client = 'greedy') =>
      stand.call('POST', '', { client, body: { items: [hall.item(quantity)] } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(answers.flatMap(({ status, code }) => (status === 201 ? [] : [code])))).toEqual(
      new Set(['order_hold_limit']),
    );
    expect(stand.catalog.count(hall).held).toBe(10);
    expect((await create(11, 'another')).code).toBe('order_hold_limit');
    expect((await create(10, 'another')).status).toBe(201);
    expect(stand.catalog.count(hall).held).toBe(20);
    const [first, second] = answers.filter(({ status }) => status === 201);
    await stand.call('POST', `/${first?.data.id}/confirmation`, { client: 'greedy', body: { onAccount: true } });
    expect((await create(2)).status).toBe(409);
    expect((await create(1)).status).toBe(201);
    await stand.call('POST', `/${second?.data.id}/cancellation`, { client: 'greedy' });
    const more = await create(1);
    expect(more.status).toBe(201);
    const line = { body: { items: [hall.item()] } };
    expect((await stand.call('POST', `/${more.data.id}/lines`, line)).code).toBe('order_hold_limit');
    expect((await stand.call('GET', `/${more.data.id}`)).data.lines).toHaveLength(1);
  });

  test('another instance knows of it after two seconds', async () => {
    const hall = stand.catalog.hall(30);
    const other = await stand.another();
    const body = { items: [hall.item(10)] };
    const mine = await stand.call('POST', '', { client: 'roaming', body });
    expect(mine.status).toBe(201);
    expect((await other.call('POST', '', { client: 'roaming', body })).code).toBe('order_hold_limit');
    await stand.call('POST', `/${mine.data.id}/cancellation`);
    await until(async () => (await other.call('POST', '', { client: 'roaming', body })).status === 201);
  });

  test('what is refused or past due counts no more', async () => {
    const hall = stand.catalog.hall(15);
    const create = (item: object) => stand.call('POST', '', { client: 'unlucky', body: { items: [item] } });
    stand.catalog.refuse(hall, 'not_on_sale');
    for (let index = 0; index < 3; index += 1) expect((await create(hall.item(10))).code).toBe('order_not_on_sale');
    const other = stand.catalog.hall(15);
    stand.catalog.holdMs = 1;
    expect((await create(other.item(10))).status).toBe(201);
    stand.catalog.holdMs = 900_000;
    await until(async () => (await create(other.item(10))).status === 201);
  });
});
