import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand } from '../fixture/fixture.ts';

describe.each(engines)('from hold to confirmation, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  test('an order holds its places, is confirmed on account, and can be cancelled', async () => {
    const hall = stand.catalog.hall(3);
    const created = await stand.call('POST', '', { body: { items: [hall.item(2)] } });
    expect(created).toMatchObject({ status: 201, data: { state: 'open', total: 2_000, due: 2_000, version: 2 } });
    const { id } = created.data;
    expect(created.headers.get('location')).toBe(`/svc/v3/orders/${id}`);
    expect(created.headers.get('etag')).toBe('"2"');
    expect(stand.catalog.count(hall)).toEqual({ free: 1, held: 2, sold: 0 });
    const confirmed = await stand.call('POST', `/${id}/confirmation`, { body: { onAccount: true }, key: randomUUID() });
    expect(confirmed).toMatchObject({ status: 200, data: { state: 'confirmed' } });
    expect(confirmed.data.lines[0]?.ticketId).toMatch(/^tic_/);
    expect(stand.catalog.count(hall)).toEqual({ free: 1, held: 0, sold: 2 });
    expect((await stand.call('GET', `/${id}`)).data).toEqual(confirmed.data);
    const list = await stand.call<{ items: unknown[] }>('GET', '?state=confirmed');
    expect(list.data.items).toContainEqual(confirmed.data);
    const cancelled = await stand.call('POST', `/${id}/cancellation`, { body: { reason: 'ill' } });
    expect(cancelled).toMatchObject({ status: 200, data: { state: 'cancelled', cancellation: { settledAt: null } } });
    expect((await stand.call('POST', `/${id}/cancellation`)).status).toBe(412);
  });
});
