import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { createContact } from '../fixture/orders.ts';

describeOnEachEngine('a confirmation with names has the last version', (fixture) => {
  const beneficiaries = [{ firstName: 'Ada', lastName: 'Lovelace' }];

  const named = async (): Promise<string> => {
    const items = [{ ...fixture.catalog.hall(1).item(), beneficiaries }];
    return (await fixture.call('POST', '', { body: { items } })).data.id;
  };

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
    await fixture.context.endedWork.flush();
    expect((await fixture.document(id))?.due).toBeUndefined();
    const again = await fixture.call('POST', `/${id}/${action}`, { body, key });
    expect([again.text, again.headers.get('etag')]).toEqual([done.text, etag]);
    const cancelled = await fixture.call('POST', `/${id}/cancellation`, { body: {}, ifMatch: etag });
    expect([cancelled.status, cancelled.data.state]).toEqual([200, 'cancelled']);
    expect(fixture.tickets.issuesOf(id)).toHaveLength(1);
  });

  test('and keeps it when its tickets are issued later; a repeat meanwhile has the same answer', async () => {
    const id = await named();
    const confirming = { body: { onAccount: true }, key: randomUUID() };
    fixture.tickets.mishaps.set('issueTickets', 'fails');
    const done = await fixture.call('POST', `/${id}/confirmation`, confirming);
    expect([done.status, (await fixture.document(id))?.due?.issueTickets]).toEqual([200, expect.anything()]);
    fixture.tickets.mishaps.clear();
    expect((await fixture.call('POST', `/${id}/confirmation`, confirming)).text).toBe(done.text);
    const before = fixture.tickets.issuesOf(id).length;
    await fixture.later(20_000);
    expect([fixture.tickets.issuesOf(id).length, (await fixture.document(id))?.due]).toEqual([before + 1, undefined]);
    const now = await fixture.call('GET', `/${id}`);
    expect([now.headers.get('etag'), now.data]).toEqual([done.headers.get('etag'), done.data]);
  });

  test('an erasure during the call of tickets removes the recorded answer', async () => {
    const contactNumber = createContact(fixture);
    const items = [{ ...fixture.catalog.hall(1).item(), beneficiaries }];
    const { id } = (await fixture.call('POST', '', { body: { items, contactNumber } })).data;
    fixture.tickets.before.set('issueTickets', () =>
      fixture.deliver('contact.erased', { contactNumber, erasedAt: new Date().toISOString() }),
    );
    const key = randomUUID();
    const confirming = { body: { onAccount: true }, key };
    expect((await fixture.call('POST', `/${id}/confirmation`, confirming)).data.state).toBe('confirmed');
    fixture.tickets.before.clear();
    const again = await fixture.call('POST', `/${id}/confirmation`, confirming);
    expect(again.text).not.toContain('Lovelace');
  });
});
