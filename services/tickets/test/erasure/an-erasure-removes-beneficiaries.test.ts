import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeOnEachEngine, PATH, ticketOf } from '../fixture/service.ts';
import { confirmed, firstOf, issued, printed } from '../fixture/tickets.ts';

describeOnEachEngine('an erasure removes beneficiaries', (fixture) => {
  const rename = (id: string, key: string, lastName = 'Martin') =>
    fixture.call('PATCH', `${PATH}/${id}`, {
      body: { beneficiary: { firstName: 'Ana', lastName } },
      headers: { 'idempotency-key': key },
    });
  const erase = (contactNumber: string) =>
    fixture.deliver('contact.erased', { contactNumber, erasedAt: new Date().toISOString() });
  const beneficiaryOf = async (id: string) => (await fixture.ticket(id)).beneficiary;

  test('beneficiaries and idempotency records of the contact are deleted, those of others are not', async () => {
    const [mine, other] = [`C${randomUUID()}`, `C${randomUUID()}`];
    const id = firstOf(await issued(fixture, confirmed(1, mine)));
    const others = firstOf(await issued(fixture, confirmed(1, other)));
    const [key, otherKey] = [randomUUID(), randomUUID()];
    await rename(id, key);
    await rename(others, otherKey);
    await erase(mine);
    await erase(mine);
    expect([await beneficiaryOf(id), await beneficiaryOf(others)]).toEqual([
      null,
      { firstName: 'Ana', lastName: 'Martin' },
    ]);
    const [repeat, otherRepeat] = [await rename(id, key, 'Other'), await rename(others, otherKey)];
    expect(repeat.headers.get('idempotency-replayed')).toBeNull();
    expect(otherRepeat.headers.get('idempotency-replayed')).toBe('true');
  });

  test('beneficiaries of replaced tickets and of tickets with a later buyer are deleted', async () => {
    const contact = `C${randomUUID()}`;
    const { order, id } = await printed(fixture, confirmed());
    const key = randomUUID();
    const next = ticketOf(await rename(id, key)).id;
    await fixture.deliver('order.confirmed', { ...order, contactNumber: contact }, { version: 8 });
    await fixture.deliver('order.confirmed', { ...order, contactNumber: 'C-older' }, { version: 7 });
    const last = ticketOf(await fixture.call('POST', `${PATH}/${next}/replacement`, { body: {} })).id;
    await erase('C-older');
    expect(await beneficiaryOf(last)).not.toBeNull();
    await erase(contact);
    for (const one of [id, next, last]) expect(await beneficiaryOf(one)).toBeNull();
    const stored = await fixture.context
      .collections(fixture.institution)
      .tickets.find({ where: { orderId: order.orderId } });
    expect(JSON.stringify(stored)).not.toContain('Martin');
    expect((await rename(id, key)).headers.get('idempotency-replayed')).toBeNull();
  });

  test('a contact of another institution with the same number is not affected', async () => {
    const contact = `C${randomUUID()}`;
    const id = firstOf(await issued(fixture, confirmed(1, contact)));
    await rename(id, randomUUID());
    await fixture.deliver('contact.erased', { contactNumber: contact }, { institution: 'museum' });
    expect(await beneficiaryOf(id)).not.toBeNull();
  });
});
