import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { issue } from '../../src/issue/issue.ts';
import { reactTo } from '../../src/reactions.ts';
import { Crash, crashAtEachWrite, createCrashingStore } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, readTicket, SERVICE_SECRET } from '../fixture/service.ts';
import {
  addMembers,
  type Confirmed,
  changeCollections,
  createChange,
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  settle,
  toCancelledOrder,
} from '../fixture/tickets.ts';

const NAME = 'Martin-of-the-test';
const named = (contact: string | null, lines = 2): Confirmed =>
  addMembers(createConfirmedOrder(lines, contact), { beneficiary: { firstName: 'Ana', lastName: NAME } });
const someone = () => `C${randomUUID()}`;

describeOnEachEngine('an erasure removes names', (fixture) => {
  const rename = (id: string, key: string, lastName = 'Martin') =>
    fixture.call('PATCH', `${PATH}/${id}`, {
      body: { beneficiary: { firstName: 'Ana', lastName } },
      headers: { 'idempotency-key': key },
    });
  const erase = (contactNumber: string) =>
    fixture.deliver('contact.erased', { contactNumber, erasedAt: new Date().toISOString() });
  /** The stored documents of an order, as JSON. */
  const stored = async ({ orderId }: Confirmed): Promise<string> => {
    const { orders, tickets } = fixture.context.collections(fixture.institution);
    return JSON.stringify([await orders.get(orderId), await tickets.find({ where: { orderId } })]);
  };
  const beneficiaryOf = async (id: string) => (await fixture.ticket(id)).beneficiary;

  test('beneficiaries and idempotency records of the contact are deleted, those of others are not', async () => {
    const [mine, other] = [someone(), someone()];
    const id = getFirstTicketId(await issueOrder(fixture, createConfirmedOrder(1, mine)));
    const others = getFirstTicketId(await issueOrder(fixture, createConfirmedOrder(1, other)));
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
    const contact = someone();
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder());
    const key = randomUUID();
    const next = readTicket(await rename(id, key)).id;
    await issueOrder(fixture, { ...order, contactNumber: contact }, 8);
    await issueOrder(fixture, { ...order, contactNumber: 'C-older' }, 7);
    const last = readTicket(await fixture.call('POST', `${PATH}/${next}/replacement`, { body: {} })).id;
    await erase('C-older');
    expect(await beneficiaryOf(last)).not.toBeNull();
    await erase(contact);
    for (const one of [id, next, last]) expect(await beneficiaryOf(one)).toBeNull();
    expect(await stored(order)).not.toContain('Martin');
    expect((await rename(id, key)).headers.get('idempotency-replayed')).toBeNull();
  });

  test('names of former lines are deleted, also by a change that is settled afterwards', async () => {
    const [before, after] = [
      await issueOrder(fixture, named(someone(), 3)),
      await issueOrder(fixture, named(someone(), 3)),
    ];
    const changes = [before, after].map((order) => createChange(order, { returned: [0], exchanged: [1] }));
    const [first, second] = changes.map((change) => ({
      ...change,
      tickets: addMembers(change, { beneficiary: { lastName: NAME } }).tickets,
    }));
    if (!first || !second) throw new Error('there are two changes');
    await settle(fixture, first);
    expect(await stored(before)).toContain(NAME);
    await erase(String(before.contactNumber));
    expect(await stored(before)).not.toContain(NAME);
    await erase(String(after.contactNumber));
    await settle(fixture, second);
    expect(await stored(after)).not.toContain(NAME);
  });

  test('a contact of another institution with the same number is not affected', async () => {
    const contact = someone();
    const id = getFirstTicketId(await issueOrder(fixture, createConfirmedOrder(1, contact)));
    await rename(id, randomUUID());
    await fixture.deliver('contact.erased', { contactNumber: contact }, { institution: 'museum' });
    expect(await beneficiaryOf(id)).not.toBeNull();
  });

  test('names are removed from the tickets and from the stored order', async () => {
    const [mine, others] = [someone(), someone()];
    const [order, other] = [await issueOrder(fixture, named(mine)), await issueOrder(fixture, named(others))];
    expect(await stored(order)).toContain(NAME);
    await erase(mine);
    expect(await stored(order)).not.toContain(NAME);
    expect(await stored(other)).toContain(NAME);
    await issueOrder(fixture, order);
    expect(await stored(order)).not.toContain(NAME);
  });

  test('names are removed if the confirmation or the buyer arrives after the erasure', async () => {
    const contact = someone();
    await erase(contact);
    const [called, published, late] = [named(contact), named(contact), named(null)];
    await issueOrder(fixture, called);
    await issueOrder(fixture, published, 3);
    await issueOrder(fixture, late);
    await issueOrder(fixture, { ...late, contactNumber: contact }, 9);
    for (const order of [called, published, late]) {
      expect(await stored(order)).toContain(order.tickets[0]?.ticketId);
      expect(await stored(order)).not.toContain(NAME);
    }
    const elsewhere = named(contact);
    await issue(fixture.context, 'museum', { ...elsewhere, version: 3 });
    const { tickets } = fixture.context.collections('museum');
    expect(JSON.stringify(await tickets.get(elsewhere.tickets[0]?.ticketId ?? ''))).toContain(NAME);
  });

  test('negative control: an issue that ignores erasures restores the name', async () => {
    const contact = someone();
    await erase(contact);
    const blind = changeCollections(fixture.context, ({ erasedContacts }) => ({
      erasedContacts: { ...erasedContacts, get: async () => undefined },
    }));
    const order = named(contact);
    await issue(blind, fixture.institution, { ...order, version: 3 });
    expect(await stored(order)).toContain(NAME);
  });

  test('concurrent issue and erasure leave no name', async () => {
    for (let round = 0; round < 20; round += 1) {
      const contact = someone();
      const order = named(contact);
      await Promise.all([
        issue(fixture.context, fixture.institution, { ...order, version: 3 }),
        erase(contact),
        issueOrder(fixture, order, 3),
      ]);
      expect(await stored(order)).not.toContain(NAME);
    }
  });

  test('a ticket that the cancellation inserts has no name', async () => {
    const order = named(null);
    const dying = createContext(createCrashingStore(fixture.store, 1, 'after'), SERVICE_SECRET);
    await expect(issue(dying, fixture.institution, { ...order, version: 3 })).rejects.toBeInstanceOf(Crash);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 });
    const tickets = await fixture.context
      .collections(fixture.institution)
      .tickets.find({ where: { orderId: order.orderId } });
    expect(tickets.map(({ status, beneficiary }) => [status, beneficiary])).toEqual([
      ['cancelled', null],
      ['cancelled', null],
    ]);
  });

  test.each(['before', 'after'] as const)('a repeat completes an erasure that died %s any write', async (when) => {
    const contactNumber = someone();
    const order = await issueOrder(fixture, named(contactNumber, 3));
    const about = { id: '', type: 'contact.erased', key: '', version: 1, occurredAt: '', data: { contactNumber } };
    const message = { ...about, institution: fixture.institution };
    const run = (store: typeof fixture.store) => reactTo(createContext(store, SERVICE_SECRET))(message);
    expect(await crashAtEachWrite(fixture.store, run, when)).toBeGreaterThan(2);
    expect(await stored(order)).not.toContain(NAME);
  });

  test.each(['before', 'after'] as const)('a repeated issue that died %s any write leaves no name', async (when) => {
    const contactNumber = someone();
    await erase(contactNumber);
    const order = named(contactNumber);
    const run = (store: typeof fixture.store) =>
      issue(createContext(store, SERVICE_SECRET), fixture.institution, { ...order, version: 3 });
    expect(await crashAtEachWrite(fixture.store, run, when)).toBeGreaterThan(0);
    expect(await stored(order)).not.toContain(NAME);
  });

  test('the reason of a replacement is stored with the replaced ticket, not shown, and erased', async () => {
    const contact = someone();
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(1, contact));
    const reply = await fixture.call('POST', `${PATH}/${id}/replacement`, { body: { reason: `lost by ${NAME}` } });
    expect([reply.status, reply.text.includes(NAME)]).toEqual([201, false]);
    const old = await fixture.context.collections(fixture.institution).tickets.get(id);
    expect(old?.successor?.reason).toBe(`lost by ${NAME}`);
    expect((await fixture.call('GET', `${PATH}?orderId=${order.orderId}`)).text).not.toContain(NAME);
    await erase(contact);
    expect(await stored(order)).not.toContain(NAME);
  });
});
