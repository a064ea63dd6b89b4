import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { confirmOrder } from '../../src/orders/actions.ts';
import type { OrderDocument } from '../../src/store.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact, postToShop, requireDone } from '../fixture/orders.ts';

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
        expect((await fixture.document(id))?.namesDue).not.toBeNull();
        fixture.tickets.mishaps.clear();
        const before = named(id);
        await fixture.later(20_000);
        expect((await fixture.document(id))?.namesDue).toBeNull();
        const acknowledged = named(id);
        expect(acknowledged).toBeGreaterThan(before);
        // Nothing repeats the call any more.
        await fixture.later(20_000);
        expect(named(id)).toBe(acknowledged);
      },
    );

    test('the event leaves the issue to the call while the order owes it, and only then', async () => {
      const noticesOf = (id: string) =>
        fixture.facts
          .filter(({ type, key }) => type === 'order.confirmed' && key === id)
          .map(({ data }) => (data as { callFollows?: boolean }).callFollows);
      const [named, unnamed] = [await buyNamed(), (await createCart(fixture)).path];
      requireDone(await buyCart(fixture, unnamed, { contactNumber: createContact(fixture) }));
      await waitUntil(async () => (await fixture.document(named))?.namesDue === null);
      // Tickets has the names: another buyer is told by the event alone.
      await fixture.call('PATCH', `/${named}`, { body: { contactNumber: createContact(fixture) } });
      await waitUntil(async () => noticesOf(named).length === 2);
      expect(noticesOf(named)).toEqual([true, undefined]);
      await waitUntil(async () => noticesOf(unnamed.split('/').at(-1) ?? '').length === 1);
      expect(noticesOf(unnamed.split('/').at(-1) ?? '')).toEqual([undefined]);
      const present = [];
      for await (const { type, key, data } of currentFacts.read(fixture.store))
        if (type === 'order.confirmed' && key === named) present.push((data as { callFollows?: boolean }).callFollows);
      expect(present).toEqual([undefined]);
    });
  });

  describe('a confirmation with names has the last version', () => {
    const beneficiaries = [{ firstName: 'Ada', lastName: 'Lovelace' }];
    const ofOrder = () => ({ status: 200, headers: {}, body: '' });

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
      expect((await fixture.document(id))?.namesDue).toBeNull();
      const again = await fixture.call('POST', `/${id}/${action}`, { body, key });
      expect([again.text, again.headers.get('etag')]).toEqual([done.text, etag]);
      const cancelled = await fixture.call('POST', `/${id}/cancellation`, { body: {}, ifMatch: etag });
      expect([cancelled.status, cancelled.data.state]).toEqual([200, 'cancelled']);
      expect(fixture.tickets.issuesOf(id)).toHaveLength(1);
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
      const confirmed = await fixture.document(id);
      expect(confirmed?.state).toBe('confirmed');
      expect((await confirmOrder(fixture.context, command, true)).version).toBe(confirmed?.version);
      await fixture.later(20_000);
      expect((await fixture.document(id))?.namesDue).toBeNull();
      expect(fixture.tickets.issuesOf(id)).toHaveLength(1);
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
  });
});
