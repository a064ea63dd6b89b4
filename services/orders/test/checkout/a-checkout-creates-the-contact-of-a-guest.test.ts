import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { checkOutCart } from '../../src/cart/checkout.ts';
import type { OrdersContext } from '../../src/context.ts';
import { writeGuest } from '../../src/saga/follow-ups.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCart,
  createCartId,
  createContact,
  listPayments,
  requireDone,
  type ShopOrder,
} from '../fixture/orders.ts';
import { moments, waitForever } from '../fixture/services.ts';

describeOnEachEngine('guests', (fixture) => {
  const guest = (firstName = 'Ana') => ({ firstName, lastName: 'Martin', email: `${randomUUID()}@example.org` });
  const later = () => fixture.later(20_000);
  /** Lets the pending payment fail, so that the order can be bought again. */
  const fail = async (path: string): Promise<void> => {
    const id = (await listPayments(fixture, path)).find(({ status }) => status === 'pending')?.id;
    expect((await fixture.call('PATCH', `${path}/payments/${id}`, { body: { status: 'failed' } })).status).toBe(200);
  };

  describe('a checkout creates the contact of a guest', () => {
    /** The context of a process that dies when it writes the contact, before or after that takes effect. */
    const dying = (context: OrdersContext, when: 'before' | 'after'): OrdersContext => {
      const writeGuest: OrdersContext['contacts']['writeGuest'] = async (...args) => {
        if (when === 'after') await context.contacts.writeGuest(...args);
        return waitForever();
      };
      return { ...context, contacts: { ...context.contacts, writeGuest } };
    };

    const contactsNow = () => fixture.contacts.guests.size;
    const contactOf = ({ contactNumber }: Pick<ShopOrder, 'contactNumber'>) =>
      fixture.contacts.guests.get(String(contactNumber));

    test('an accepted checkout creates one contact, and the order stores only its number', async () => {
      const { cart, path } = await createCart(fixture);
      const [before, ana] = [contactsNow(), guest()];
      const bought = requireDone(await buyCart(fixture, path, { guest: { ...ana, language: 'fr' } }));
      expect(bought).toMatchObject({ state: 'confirmed', contactNumber: expect.stringMatching(/^C[0-9A-Z]{12}$/) });
      expect(contactOf(bought)).toEqual({ ...ana, language: 'fr' });
      requireDone(await buyCart(fixture, path, { guest: ana }));
      expect(contactsNow()).toBe(before + 1);
      expect(JSON.stringify(await fixture.document(cart.id))).not.toContain(ana.email);
      expect(JSON.stringify(fixture.facts)).not.toContain(ana.email);
    });

    test('a refused checkout creates no contact: declined, without a criterion or an account, expired', async () => {
      const before = contactsNow();
      const { cart, path } = await createCart(fixture);
      for (let count = 0; count < 30; count += 1) {
        const requested = { requestId: `r${count}`, guest: guest(), paymentToken: 'declined' };
        expect(await buyCart(fixture, path, requested)).toMatchObject({ reason: 'payment_declined' });
      }
      const account = await buyCart(fixture, path, { guest: guest(), paymentMethod: 'on_account' });
      expect(account.reason).toBe('account_required');
      const hall = fixture.catalog.hall(3);
      const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
      const members = requireDone(
        await add(fixture, createCartId(), [{ ...item, contactNumber: createContact(fixture, 'member') }]),
      );
      const stranger = await buyCart(fixture, `/${members.id}`, { guest: guest() });
      expect(stranger.reason).toBe('tariff_not_accessible');
      await later();
      expect((await fixture.document(cart.id))?.contactNumber).toBeNull();
      const orders = fixture.context.orders.of('opera');
      await orders.update(cart.id, (order) => ({ next: { ...order, deadline: Date.now() - 1 } }));
      expect((await buyCart(fixture, path, { guest: guest() })).reason).toBe('cart_expired');
      expect(contactsNow()).toBe(before);
    });

    test('an order bought again after a failed payment has the same contact with the new data', async () => {
      const { path } = await createCart(fixture);
      const before = contactsNow();
      const pending = requireDone(
        await buyCart(fixture, path, { requestId: 'a', guest: guest('Ana'), paymentToken: 'pending' }),
      );
      await fail(path);
      const bought = requireDone(await buyCart(fixture, path, { requestId: 'b', guest: guest('Eva') }));
      expect(bought.contactNumber).toBe(pending.contactNumber);
      expect(contactOf(bought)).toMatchObject({ firstName: 'Eva' });
      expect(contactsNow()).toBe(before + 1);
    });

    test('a guest gets a new contact number after an erasure, and after another buyer', async () => {
      const { path } = await createCart(fixture);
      const buy = async (requestId: string, who: object) => {
        const bought = requireDone(await buyCart(fixture, path, { requestId, ...who, paymentToken: 'pending' }));
        await fail(path);
        return bought;
      };
      const first = await buy('a', { guest: guest('Ana') });
      fixture.contacts.guests.delete(String(first.contactNumber));
      await fixture.deliver('contact.erased', {
        contactNumber: first.contactNumber,
        erasedAt: new Date().toISOString(),
      });
      const second = await buy('b', { guest: guest('Eva') });
      expect(second.contactNumber).not.toBe(first.contactNumber);
      expect(contactOf(second)).toMatchObject({ firstName: 'Eva' });
      expect((await buy('c', { guest: guest('Eva') })).contactNumber).not.toBe(first.contactNumber);
      await buy('d', { contactNumber: createContact(fixture) });
      const last = await buy('e', { guest: guest('Ida') });
      expect([first.contactNumber, second.contactNumber]).not.toContain(last.contactNumber);
      expect(contactOf(last)).toMatchObject({ firstName: 'Ida' });
    });

    test.each(['fails', 'lost', 'hangs after'] as const)(
      'the mishap "%s" of contacts does not stop the sale; the contact is written later',
      async (how) => {
        const { path, cart } = await createCart(fixture);
        fixture.contacts.mishaps.set('writeGuest', how);
        const bought = await fixture.hurried(async () => {
          const order = requireDone(await buyCart(fixture, path, { guest: guest() }));
          await later();
          return order;
        });
        expect((await fixture.document(cart.id))?.guest).toMatchObject({ firstName: 'Ana' });
        fixture.contacts.mishaps.clear();
        await later();
        expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
        expect((await fixture.document(cart.id))?.guest).toBeNull();
      },
    );

    test.each(moments)('if the process dies %s the contact is written, by a repeat or as due work', async (when) => {
      const [repeated, left] = [await createCart(fixture), await createCart(fixture)];
      const requested = { requestId: 'r', guest: guest(), paymentMethod: 'simulated' } as const;
      const before = contactsNow();
      for (const { cart } of [repeated, left]) {
        void checkOutCart(dying(fixture.context, when), { institution: 'opera', orderId: cart.id }, requested);
        await waitUntil(async () => (await fixture.document(cart.id))?.state === 'confirmed');
      }
      const bought = requireDone(await buyCart(fixture, repeated.path, requested));
      expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
      await later();
      const found = await fixture.document(left.cart.id);
      expect(found?.guest).toBeNull();
      expect(contactOf({ contactNumber: found?.contactNumber ?? null })).toMatchObject({ firstName: 'Ana' });
      expect(contactsNow()).toBe(before + 2);
    });

    test('a checkout with both a contact and a guest, or with neither, is 400', async () => {
      const { path } = await createCart(fixture);
      const body = { requestId: 'r', paymentMethod: 'external' };
      for (const more of [{}, { guest: guest(), contactNumber: createContact(fixture) }]) {
        const { status, code } = await fixture.shop('POST', `${path}/checkout`, { body: { ...body, ...more } });
        expect([status, code]).toEqual([400, 'validation_error']);
      }
    });
  });

  describe('a guest who is no longer the buyer is erased', () => {
    beforeEach(() => fixture.contacts.mishaps.clear());

    const isStored = (contactNumber: string | null) => fixture.contacts.guests.has(String(contactNumber));

    /** Buys with a pending payment. */
    const buy = async (path: string, who: object): Promise<ShopOrder> =>
      requireDone(await buyCart(fixture, path, { requestId: randomUUID(), ...who, paymentToken: 'pending' }));
    /** An order that a guest bought and whose payment failed. */
    const bought = async () => {
      const { cart, path } = await createCart(fixture);
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
      const own = createContact(fixture);
      expect(await buy(path, { contactNumber: own })).toMatchObject({ contactNumber: own });
      await later();
      expect(isStored(contactNumber)).toBe(false);
      const found = await fixture.document(id);
      expect(found).toMatchObject({ contactNumber: own, formerGuests: null });
      expect(JSON.stringify(found)).not.toContain(ana.email);
    });

    test('each of several former guests is erased, and the last guest keeps one contact for all attempts', async () => {
      const { path, contactNumber: first } = await bought();
      await buy(path, { contactNumber: createContact(fixture) });
      await fail(path);
      const { contactNumber: second } = await buy(path, { guest: guest('Eva') });
      await fail(path);
      expect((await buy(path, { guest: guest('Eve') })).contactNumber).toBe(second);
      await fail(path);
      await buy(path, { contactNumber: createContact(fixture) });
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
      const other = await createCart(fixture);
      await buy(other.path, { contactNumber });
      await buy(path, { contactNumber: createContact(fixture) });
      const ended = await bought();
      await fixture.call('POST', `${ended.path}/cancellation`, { body: {} });
      await later();
      expect(await fixture.document(ended.id)).toMatchObject({ state: 'cancelled' });
      expect([contactNumber, ended.contactNumber].map(isStored)).toEqual([true, true]);
    });

    test('a guest who bought the order again with a login stays', async () => {
      const { path, contactNumber } = await bought();
      await buy(path, { contactNumber });
      await fail(path);
      await buy(path, { contactNumber: createContact(fixture) });
      await later();
      expect(isStored(contactNumber)).toBe(true);
    });

    test.each(['fails', 'lost'] as const)('after the mishap "%s" of contacts the erasure is repeated', async (how) => {
      const { id, path, contactNumber } = await bought();
      const own = createContact(fixture);
      await buy(path, { contactNumber: own });
      fixture.contacts.mishaps.set('forgetGuest', how);
      await later();
      expect((await fixture.document(id))?.formerGuests?.contactNumbers).toEqual([contactNumber]);
      fixture.contacts.mishaps.clear();
      await later();
      expect(isStored(contactNumber)).toBe(false);
      expect((await fixture.document(id))?.formerGuests).toBeNull();
    });

    test('a guest whose contact was written without an answer is erased', async () => {
      fixture.contacts.mishaps.set('writeGuest', 'lost');
      const { id, path, contactNumber } = await bought();
      fixture.contacts.mishaps.clear();
      await buy(path, { contactNumber: createContact(fixture) });
      expect((await fixture.document(id))?.guest).toBeNull();
      expect(isStored(contactNumber)).toBe(true);
      await later();
      expect(isStored(contactNumber)).toBe(false);
    });

    test('a guest whose contact a slow process writes later is erased', async () => {
      fixture.contacts.mishaps.set('writeGuest', 'fails');
      const { id, path, contactNumber } = await bought();
      fixture.contacts.mishaps.clear();
      const seen = await fixture.document(id);
      if (!seen) throw new Error('the order is gone');
      const slow: OrdersContext['contacts']['writeGuest'] = async (...args) => {
        await buy(path, { contactNumber: createContact(fixture) });
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
          expect(await fixture.document(id)).toMatchObject({ guest: null, formerGuests: null });
          expect(isStored(contactNumber)).toBe(false);
        }
        expect(fixture.contacts.guests.get(other)).toEqual(ana);
      }
    });

    test('if the institution changes the buyer after the contact is written, the contact stays', async () => {
      const { path, contactNumber } = await bought();
      await assign(path, createContact(fixture));
      await later();
      expect(isStored(contactNumber)).toBe(true);
      await buy(path, { guest: guest('Eva') });
      await later();
      expect(isStored(contactNumber)).toBe(false);
    });
  });
});
