import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { confirmOrder } from '../../src/orders/confirm.ts';
import type { OrderDocument } from '../../src/store.ts';
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

  const commandOf = (orderId: string, answer = ofOrder) => ({
    institution: 'opera',
    orderId,
    ifMatch: () => undefined,
    idempotencyRecord: { key: randomUUID(), fingerprint: 'f', expiresAt: Number.MAX_SAFE_INTEGER, answer },
  });

  test('a repeat after its process died before the tickets were acknowledged has no second effect', async () => {
    const id = await named();
    const command = commandOf(id);
    const dying = jest.spyOn(fixture.context.tickets, 'issue').mockRejectedValueOnce(new Error('the process died'));
    await expect(confirmOrder(fixture.context, command, true)).rejects.toThrow('the process died');
    dying.mockRestore();
    const confirmed = await document(id);
    expect(confirmed?.state).toBe('confirmed');
    expect((await confirmOrder(fixture.context, command, true)).version).toBe(confirmed?.version);
    await fixture.later(20_000);
    expect((await document(id))?.namesDue).toBeNull();
    expect(issueCalls(id)).toBe(1);
  });

  test.each([true, false])(
    'an erasure during the call of tickets leaves no names in the answer; heard: %s',
    async (heard) => {
      const contactNumber = `C-${randomUUID()}`;
      fixture.contacts.known.set(contactNumber, null);
      const items = [{ ...fixture.catalog.hall(1).item(), beneficiaries }];
      const { id } = (await fixture.call('POST', '', { body: { items, contactNumber } })).data;
      const stored: string[] = [];
      const command = commandOf(id, (order?: OrderDocument) => {
        stored.push(JSON.stringify(order?.lines));
        return ofOrder();
      });
      const issue = fixture.context.tickets.issue;
      const erasing = jest.spyOn(fixture.context.tickets, 'issue').mockImplementationOnce(async (...call) => {
        await fixture.deliver('contact.erased', { contactNumber, erasedAt: new Date().toISOString() });
        const issued = await issue(...call);
        return heard ? issued : undefined;
      });
      const { state, lines } = await confirmOrder(fixture.context, command, true);
      erasing.mockRestore();
      expect([state, stored]).toEqual(['confirmed', [JSON.stringify(lines)]]);
      expect(stored[0]).not.toContain('Lovelace');
    },
  );

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
