import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { writeGuest } from '../../src/steps/guests.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, type ShopOrder } from '../fixture/shopper.ts';

const guest = (firstName = 'Ana') => ({ firstName, lastName: 'Martin', email: `${randomUUID()}@example.org` });

describe.each(engines)('a guest who is no longer the buyer is erased, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.contacts.mishaps.clear());

  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const later = () => fixture.later(20_000);
  const isStored = (contactNumber: string | null) => fixture.contacts.guests.has(String(contactNumber));

  /** Buys with a pending payment. */
  const buy = async (path: string, who: object): Promise<ShopOrder> =>
    done(await checkout(fixture, path, { requestId: randomUUID(), ...who, paymentToken: 'pending' }));
  /** Lets the pending payment fail, so that the order can be bought again. */
  const fail = async (path: string): Promise<void> => {
    const { data } = await fixture.call<{ items: { id: string; status: string }[] }>('GET', `${path}/payments`);
    const id = data.items.find(({ status }) => status === 'pending')?.id;
    expect((await fixture.call('PATCH', `${path}/payments/${id}`, { body: { status: 'failed' } })).status).toBe(200);
  };
  /** An order that a guest bought and whose payment failed. */
  const bought = async () => {
    const { cart, path } = await newCart(fixture);
    const ana = guest();
    const { contactNumber } = await buy(path, { guest: ana });
    await fail(path);
    return { id: cart.id, path, ana, contactNumber: String(contactNumber) };
  };
  const assign = async (path: string, contactNumber: string | null): Promise<void> => {
    expect((await fixture.call('PATCH', path, { body: { contactNumber } })).status).toBe(200);
  };

  test('if a contact buys the order again, the contact of the guest is erased', async () => {
    const { id, path, ana, contactNumber } = await bought();
    expect(isStored(contactNumber)).toBe(true);
    const own = newContact(fixture);
    expect(await buy(path, { contactNumber: own })).toMatchObject({ contactNumber: own });
    await later();
    expect(isStored(contactNumber)).toBe(false);
    const found = await document(id);
    expect(found).toMatchObject({ contactNumber: own, formerGuests: null });
    expect(JSON.stringify(found)).not.toContain(ana.email);
  });

  test('each of several former guests is erased, and the last guest keeps one contact for all attempts', async () => {
    const { path, contactNumber: first } = await bought();
    await buy(path, { contactNumber: newContact(fixture) });
    await fail(path);
    const { contactNumber: second } = await buy(path, { guest: guest('Eva') });
    await fail(path);
    expect((await buy(path, { guest: guest('Eve') })).contactNumber).toBe(second);
    await fail(path);
    await buy(path, { contactNumber: newContact(fixture) });
    await fail(path);
    const tries = [await buy(path, { guest: guest('Ida') })];
    for (const name of ['Ilse', 'Ines']) {
      await fail(path);
      tries.push(await buy(path, { guest: guest(name) }));
    }
    await later();
    expect([first, second].map((number) => isStored(number))).toEqual([false, false]);
    const [last] = tries;
    expect(new Set(tries.map(({ contactNumber }) => contactNumber)).size).toBe(1);
    expect(fixture.contacts.guests.get(String(last?.contactNumber))).toMatchObject({ firstName: 'Ines' });
  });

  test('a guest whom another order names stays, and so does the guest of a cancelled order', async () => {
    const { path, contactNumber } = await bought();
    const other = await newCart(fixture);
    await buy(other.path, { contactNumber });
    await buy(path, { contactNumber: newContact(fixture) });
    const ended = await bought();
    await fixture.call('POST', `${ended.path}/cancellation`, { body: {} });
    await later();
    expect(await document(ended.id)).toMatchObject({ state: 'cancelled' });
    expect([contactNumber, ended.contactNumber].map(isStored)).toEqual([true, true]);
  });

  test('a guest who bought the order again with a login stays', async () => {
    const { path, contactNumber } = await bought();
    await buy(path, { contactNumber });
    await fail(path);
    await buy(path, { contactNumber: newContact(fixture) });
    await later();
    expect(isStored(contactNumber)).toBe(true);
  });

  test.each(['fails', 'lost', 'hangs after'] as const)(
    'after the mishap "%s" of contacts the sweep repeats the erasure',
    async (how) => {
      const { id, path, contactNumber } = await bought();
      const own = newContact(fixture);
      await buy(path, { contactNumber: own });
      fixture.contacts.mishaps.set('forgetGuest', how);
      await later();
      expect((await document(id))?.formerGuests?.contactNumbers).toEqual([contactNumber]);
      fixture.contacts.mishaps.clear();
      await later();
      expect(isStored(contactNumber)).toBe(false);
      expect((await document(id))?.formerGuests).toBeNull();
    },
  );

  test('a guest whose contact was written without an answer is erased', async () => {
    fixture.contacts.mishaps.set('writeGuest', 'lost');
    const { id, path, contactNumber } = await bought();
    fixture.contacts.mishaps.clear();
    await buy(path, { contactNumber: newContact(fixture) });
    expect((await document(id))?.guest).toBeNull();
    expect(isStored(contactNumber)).toBe(true);
    await later();
    expect(isStored(contactNumber)).toBe(false);
  });

  test('a guest whose contact a slow process writes later is erased', async () => {
    fixture.contacts.mishaps.set('writeGuest', 'fails');
    const { id, path, contactNumber } = await bought();
    fixture.contacts.mishaps.clear();
    const seen = await document(id);
    if (!seen) throw new Error('the order is gone');
    const slow: OrdersContext['contacts']['writeGuest'] = async (...args) => {
      await buy(path, { contactNumber: newContact(fixture) });
      await later();
      await fixture.context.contacts.writeGuest(...args);
    };
    await writeGuest({ ...fixture.context, contacts: { ...fixture.context.contacts, writeGuest: slow } }, seen);
    expect(isStored(contactNumber)).toBe(true);
    await later();
    expect(isStored(contactNumber)).toBe(false);
  });

  test('if the institution changes the buyer before the contact is written, no data of the guest remains', async () => {
    for (const how of ['fails', 'lost'] as const) {
      fixture.contacts.mishaps.set('writeGuest', how);
      const [first, second] = [await bought(), await bought()];
      fixture.contacts.mishaps.clear();
      const { contactNumber: other, ana } = await bought();
      await assign(first.path, other);
      await assign(second.path, null);
      await later();
      for (const { id, contactNumber } of [first, second]) {
        expect(await document(id)).toMatchObject({ guest: null, formerGuests: null });
        expect(isStored(contactNumber)).toBe(false);
      }
      expect(fixture.contacts.guests.get(other)).toEqual(ana);
    }
  });

  test('if the institution changes the buyer after the contact is written, the contact stays', async () => {
    const { path, contactNumber } = await bought();
    await assign(path, newContact(fixture));
    await later();
    expect(isStored(contactNumber)).toBe(true);
    await buy(path, { guest: guest('Eva') });
    await later();
    expect(isStored(contactNumber)).toBe(false);
  });
});
