import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { createContact } from '../fixture/orders.ts';

describeOnEachEngine('staff send a confirmation again', (fixture) => {
  const ask = (path: string, call: object = {}) =>
    fixture.call('POST', `${path}/mails`, { body: { kind: 'confirmation' }, ...call });

  /** An order at a point of sale, of a contact, without what is left out; confirmed unless something else is wanted. */
  const order = async ({ isConfirmed = true, without = '' } = {}) => {
    const hall = fixture.catalog.hall(2);
    const contactNumber = createContact(fixture);
    const all = { items: [hall.item(1)], pointOfSale: 'tickets.opera.example', contactNumber };
    const body = Object.fromEntries(Object.entries(all).filter(([name]) => name !== without));
    const { data, status, text } = await fixture.call('POST', '', { body });
    if (status !== 201) throw new Error(text);
    const path = `/${data.id}`;
    if (isConfirmed) await fixture.confirm(path);
    return { id: data.id, path, contactNumber };
  };
  const requested = (id: string) => fixture.factsOf(id).filter(({ type }) => type === 'order.mail_requested');

  test('202, and the point of sale hears of it by a fact without personal data, once for a repeat', async () => {
    const { id, path, contactNumber } = await order();
    const key = randomUUID();
    expect(await ask(path, { key })).toMatchObject({ status: 202, data: { queued: true } });
    expect((await ask(path, { key })).headers.get('idempotency-replayed')).toBe('true');
    await waitUntil(() => requested(id).length > 0);
    expect(requested(id)).toMatchObject([
      {
        data: {
          orderId: id,
          pointOfSale: 'tickets.opera.example',
          contactNumber,
          kind: 'confirmation',
          requestedAt: expect.any(String),
        },
      },
    ]);
  });

  test('409 for an order without a point of sale, without a contact, or whose contact has no email', async () => {
    const { path: nowhere } = await order({ without: 'pointOfSale' });
    const { path: nobodys } = await order({ without: 'contactNumber' });
    const { path: silent, contactNumber } = await order();
    fixture.contacts.withoutEmail.add(contactNumber);
    for (const path of [nowhere, nobodys, silent])
      expect(await ask(path)).toMatchObject({ status: 409, code: 'conflict' });
    fixture.contacts.withoutEmail.delete(contactNumber);
    expect((await ask(silent)).status).toBe(202);
    fixture.contacts.known.set(contactNumber, new Date().toISOString());
    expect((await ask(silent)).status).toBe(409);
  });

  test('412 for an order that is not confirmed, or cancelled since; 404 for an unknown one', async () => {
    const { path } = await order({ isConfirmed: false });
    expect(await ask(path)).toMatchObject({ status: 412, code: 'order_not_confirmed' });
    await fixture.confirm(path);
    expect((await ask(path)).status).toBe(202);
    await fixture.call('POST', `${path}/cancellation`, { body: {} });
    expect(await ask(path)).toMatchObject({ status: 412, code: 'order_cancelled' });
    expect((await ask('/ord_00000000000000000000')).status).toBe(404);
    expect((await fixture.call('POST', `${path}/mails`, { body: { kind: 'refund' } })).status).toBe(400);
  });

  test('429 for the sixth within a day, with Retry-After; the order shows nothing of it', async () => {
    const { id, path } = await order();
    const before = await fixture.call('GET', path);
    for (let nth = 0; nth < 5; nth += 1) expect((await ask(path)).status).toBe(202);
    const refused = await ask(path);
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(86_000);
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect((await fixture.call('GET', path)).data).toEqual({ ...before.data, version: expect.any(Number) });
    const document = await fixture.document(id);
    expect(document?.mailRequests).toHaveLength(5);
  });
});
