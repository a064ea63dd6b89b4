import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';

describe.each(engines)('from hold to confirmation, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('an order holds its places, is confirmed on account, and can be cancelled', async () => {
    const hall = fixture.catalog.hall(3);
    const created = await fixture.call('POST', '', { body: { items: [hall.item(2)] } });
    expect(created).toMatchObject({ status: 201, data: { state: 'open', total: 2_000, due: 2_000, version: 1 } });
    const { id } = created.data;
    expect(created.headers.get('location')).toBe(`/svc/v3/orders/${id}`);
    expect(created.headers.get('etag')).toBe('"1"');
    expect(fixture.catalog.count(hall)).toEqual({ free: 1, held: 2, sold: 0 });
    const confirmed = await fixture.call('POST', `/${id}/confirmation`, {
      body: { onAccount: true },
      key: randomUUID(),
    });
    expect(confirmed).toMatchObject({ status: 200, data: { state: 'confirmed' } });
    expect(confirmed.data.lines[0]?.ticketId).toMatch(/^tic_/);
    expect(fixture.catalog.count(hall)).toEqual({ free: 1, held: 0, sold: 2 });
    expect((await fixture.call('GET', `/${id}`)).data).toEqual(confirmed.data);
    const list = await fixture.call<{ items: unknown[] }>('GET', '?state=confirmed');
    expect(list.data.items).toContainEqual(confirmed.data);
    const cancelled = await fixture.call('POST', `/${id}/cancellation`, { body: { reason: 'ill' } });
    expect(cancelled).toMatchObject({ status: 200, data: { state: 'cancelled', cancellation: { settledAt: null } } });
    expect((await fixture.call('POST', `/${id}/cancellation`)).status).toBe(412);
  });
});
