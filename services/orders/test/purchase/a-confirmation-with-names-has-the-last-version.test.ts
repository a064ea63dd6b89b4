import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';

const beneficiaries = [{ firstName: 'Ada', lastName: 'Lovelace' }];
const ofOrder = () => ({ status: 200, headers: {}, body: '' });

describe.each(engines)('a confirmation with names has the last version, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const named = async (): Promise<string> => {
    const items = [{ ...fixture.catalog.hall(1).item(), beneficiaries }];
    return (await fixture.call('POST', '', { body: { items } })).data.id;
  };
  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const issueCalls = (orderId: string) =>
    fixture.tickets.calls.filter(
      ({ operation, body }) => operation === 'issueTickets' && (body as { orderId: string }).orderId === orderId,
    ).length;

  test.each([
    ['confirmation', { onAccount: true }],
    ['payments', { method: 'card', amount: 1_000, status: 'captured' }],
  ])('the ETag of its %s is that of the order, and allows the next change', async (action, body) => {
    const id = await named();
    const key = randomUUID();
    const done = await fixture.call('POST', `/${id}/${action}`, { body, key });
    expect([done.text, done.status]).toEqual([done.text, action === 'payments' ? 201 : 200]);
    const etag = done.headers.get('etag') ?? '';
    const now = await fixture.call('GET', `/${id}`);
    expect([now.headers.get('etag'), now.data.state]).toEqual([etag, 'confirmed']);
    expect((await document(id))?.namesDue).toBeNull();
    const again = await fixture.call('POST', `/${id}/${action}`, { body, key });
    expect([again.text, again.headers.get('etag')]).toEqual([done.text, etag]);
    const cancelled = await fixture.call('POST', `/${id}/cancellation`, { body: {}, ifMatch: etag });
    expect([cancelled.status, cancelled.data.state]).toEqual([200, 'cancelled']);
    expect(issueCalls(id)).toBe(1);
  });

  test('a repeat whose answer was lost with its process has no second effect', async () => {
    const id = await named();
    const command = {
      institution: 'opera',
      orderId: id,
      ifMatch: (present: string) => expect(present).toBe('2'),
      idempotencyRecord: { key: randomUUID(), fingerprint: 'f', expiresAt: Number.MAX_SAFE_INTEGER, answer: ofOrder },
    };
    const first = await confirmOrder(fixture.context, command, true);
    expect(first.state).toBe('confirmed');
    expect((await confirmOrder(fixture.context, command, true)).version).toBe(first.version);
    expect(issueCalls(id)).toBe(1);
    const confirmed = fixture.facts.filter(({ key, type }) => key === id && type === 'order.confirmed');
    expect(confirmed.length).toBeLessThanOrEqual(1);
  });

  test('confirmed without tickets, it is answered, and the sweep issues with the names', async () => {
    const id = await named();
    fixture.tickets.mishaps.set('issueTickets', 'fails');
    const done = await fixture.call('POST', `/${id}/confirmation`, { body: { onAccount: true } });
    expect([done.status, done.data.state]).toEqual([200, 'confirmed']);
    expect((await document(id))?.namesDue).not.toBeNull();
    fixture.tickets.mishaps.clear();
    await fixture.later(20_000);
    expect((await document(id))?.namesDue).toBeNull();
  });
});
