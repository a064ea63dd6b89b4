import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { issueTickets } from '../../src/saga/follow-ups.ts';
import { sell } from '../../src/saga/sell.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact, createOrderInHall, postToShop, requireDone } from '../fixture/orders.ts';

describeOnEachEngine('names', (fixture) => {
  describe('the names of beneficiaries reach tickets by the direct call only', () => {
    const clara = { firstName: 'Clara', lastName: 'Haskil' };
    const named = (orderId: string) =>
      fixture.tickets.issuesOf(orderId).filter((body) => JSON.stringify(body).includes(clara.lastName)).length;

    const buyNamed = async (): Promise<string> => {
      const { cart, path } = await createCart(fixture);
      const name = { requestId: 'a', beneficiaryFirstName: clara.firstName, beneficiaryLastName: clara.lastName };
      requireDone(await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
      requireDone(await buyCart(fixture, path, { contactNumber: createContact(fixture) }));
      return cart.id;
    };

    test.each(['fails', 'lost'] as const)(
      'after the mishap "%s" the call of tickets is repeated until it is acknowledged',
      async (how) => {
        fixture.tickets.mishaps.set('issueTickets', how);
        const id = await buyNamed();
        await fixture.later(20_000);
        expect((await fixture.document(id))?.due?.issueTickets).toBeDefined();
        fixture.tickets.mishaps.clear();
        const before = named(id);
        await fixture.later(20_000);
        expect((await fixture.document(id))?.due).toBeUndefined();
        const acknowledged = named(id);
        expect(acknowledged).toBeGreaterThan(before);
        // Nothing repeats the call any more.
        await fixture.later(20_000);
        expect(named(id)).toBe(acknowledged);
      },
    );
  });

  test('tickets are asked for of a confirmed order alone', async () => {
    const { order } = await createOrderInHall(fixture);
    const open = await fixture.document(order.id);
    if (!open) throw new Error('there is no order');
    await issueTickets(fixture.context, open);
    await sell(fixture.context, open);
    expect(fixture.tickets.issuesOf(order.id)).toEqual([]);
    await fixture.confirm(`/${order.id}`);
    expect(fixture.tickets.issuesOf(order.id)).toHaveLength(1);
  });

  describe('a confirmation with names has the last version', () => {
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
});
