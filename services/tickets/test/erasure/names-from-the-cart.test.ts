import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { issue } from '../../src/issue/issue.ts';
import { onContactErased } from '../../src/reactions/contact-erased.ts';
import { Crash, crashingAt, untilNoneDies } from '../fixture/crashes.ts';
import { engines, missing } from '../fixture/engines.ts';
import { type Confirmed, cancelled, confirmed, issued, knowing, PATH, printed } from '../fixture/orders.ts';
import { type Fixture, openFixture, SERVICE_SECRET } from '../fixture/service.ts';

const NAME = 'Martin-of-the-test';
const named = (contact: string | null, lines = 2): Confirmed =>
  knowing(confirmed(lines, contact), { beneficiary: { firstName: 'Ana', lastName: NAME } });
const someone = () => `C${randomUUID()}`;

describe.each(engines)(`names from the cart go with the contact, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  /** Everything that is kept of an order. */
  const kept = async ({ orderId }: Confirmed): Promise<string> => {
    const { orders, tickets } = fixture.context.collections(fixture.institution);
    return JSON.stringify([await orders.get(orderId), await tickets.find({ where: { orderId } })]);
  };
  const erase = (contactNumber: string) => fixture.hear('contact.erased', { contactNumber });

  test('on the tickets, and in what the order asked for', async () => {
    const [mine, others] = [someone(), someone()];
    const [order, other] = [await issued(fixture, named(mine)), await issued(fixture, named(others))];
    expect(await kept(order)).toContain(NAME);
    await erase(mine);
    expect(await kept(order)).not.toContain(NAME);
    expect(await kept(other)).toContain(NAME);
    await issued(fixture, order);
    expect(await kept(order)).not.toContain(NAME);
  });

  test('when the confirmation comes after the erasure, by either way, or the buyer is known late', async () => {
    const contact = someone();
    await erase(contact);
    const [called, heard, late] = [named(contact), named(contact), named(null)];
    await issued(fixture, called);
    await fixture.hear('order.confirmed', heard, { version: 3 });
    await issued(fixture, late);
    await fixture.hear('order.confirmed', { ...late, contactNumber: contact }, { version: 9 });
    for (const order of [called, heard, late]) {
      expect(await kept(order)).toContain(order.tickets[0]?.ticketId);
      expect(await kept(order)).not.toContain(NAME);
    }
    const elsewhere = named(contact);
    await fixture.hear('order.confirmed', elsewhere, { version: 3, institution: 'museum' });
    const { tickets } = fixture.context.collections('museum');
    expect(JSON.stringify(await tickets.get(elsewhere.tickets[0]?.ticketId ?? ''))).toContain(NAME);
  });

  test('control: an issue that does not ask for erasures brings the name back', async () => {
    const contact = someone();
    await erase(contact);
    const collections = (institution: string) => {
      const real = fixture.context.collections(institution);
      return { ...real, erasedContacts: { ...real.erasedContacts, get: async () => undefined } };
    };
    const order = named(contact);
    await issue({ ...fixture.context, collections }, fixture.institution, { ...order, version: 3 });
    expect(await kept(order)).toContain(NAME);
  });

  test('whatever comes first, when both come at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const contact = someone();
      const order = named(contact);
      await Promise.all([
        issue(fixture.context, fixture.institution, { ...order, version: 3 }),
        erase(contact),
        fixture.hear('order.confirmed', order, { version: 3 }),
      ]);
      expect(await kept(order)).not.toContain(NAME);
    }
  });

  test('a ticket that a cancellation finds unwritten is written without a name', async () => {
    const order = named(null);
    const dying = createContext(crashingAt(fixture.store, 1, 'after'), SERVICE_SECRET);
    await expect(issue(dying, fixture.institution, { ...order, version: 3 })).rejects.toBeInstanceOf(Crash);
    await fixture.hear('order.cancelled', cancelled(order), { version: 4 });
    const tickets = await fixture.context
      .collections(fixture.institution)
      .tickets.find({ where: { orderId: order.orderId } });
    expect(tickets.map(({ status, beneficiary }) => [status, beneficiary])).toEqual([
      ['cancelled', null],
      ['cancelled', null],
    ]);
  });

  test.each(['before', 'after'] as const)('an erasure that dies %s any write is repeated', async (when) => {
    const contactNumber = someone();
    const order = await issued(fixture, named(contactNumber, 3));
    const about = { id: '', type: 'contact.erased', key: '', version: 1, occurredAt: '', data: { contactNumber } };
    const message = { ...about, institution: fixture.institution };
    const run = (store: typeof fixture.store) => onContactErased(createContext(store, SERVICE_SECRET), message);
    expect(await untilNoneDies(fixture.store, run, when)).toBeGreaterThan(2);
    expect(await kept(order)).not.toContain(NAME);
  });

  test.each(['before', 'after'] as const)('an issue that dies %s any write leaves no name behind', async (when) => {
    const contactNumber = someone();
    await erase(contactNumber);
    const order = named(contactNumber);
    const run = (store: typeof fixture.store) =>
      issue(createContext(store, SERVICE_SECRET), fixture.institution, { ...order, version: 3 });
    expect(await untilNoneDies(fixture.store, run, when)).toBeGreaterThan(0);
    expect(await kept(order)).not.toContain(NAME);
  });

  test('the reason of a replacement is kept with the replaced ticket, is not shown, and goes too', async () => {
    const contact = someone();
    const { order, id } = await printed(fixture, confirmed(1, contact));
    const reply = await fixture.call('POST', `${PATH}/${id}/replacement`, { body: { reason: `lost by ${NAME}` } });
    expect([reply.status, reply.text.includes(NAME)]).toEqual([201, false]);
    const old = await fixture.context.collections(fixture.institution).tickets.get(id);
    expect(old?.successor?.reason).toBe(`lost by ${NAME}`);
    expect((await fixture.call('GET', `${PATH}?orderId=${order.orderId}`)).text).not.toContain(NAME);
    await erase(contact);
    expect(await kept(order)).not.toContain(NAME);
  });
});
