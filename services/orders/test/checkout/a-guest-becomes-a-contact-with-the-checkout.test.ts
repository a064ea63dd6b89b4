import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkoutCart } from '../../src/cart/checkout.ts';
import type { Desk } from '../../src/context.ts';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { add, checkout, done, mintCartId, newCart, newContact, type ShopOrder } from '../fixture/shopper.ts';

const never = (): Promise<never> => new Promise(() => undefined);

const guest = (firstName = 'Ana') => ({ firstName, lastName: 'Martin', email: `${randomUUID()}@example.org` });

/** The desk of a process that dies when it writes the contact, before or after that takes effect. */
const dying = (desk: Desk, when: 'before' | 'after'): Desk => {
  const writeGuest: Desk['contacts']['writeGuest'] = async (...args) => {
    if (when === 'after') await desk.contacts.writeGuest(...args);
    return never();
  };
  return { ...desk, contacts: { ...desk.contacts, writeGuest } };
};

describe.each(engines)('a guest becomes a contact with the checkout, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const document = (id: string) => stand.desk.orders.of('opera').get(id);
  const later = () => stand.later(20_000);
  const contactsNow = () => stand.contacts.guests.size;
  const contactOf = ({ contactNumber }: Pick<ShopOrder, 'contactNumber'>) =>
    stand.contacts.guests.get(String(contactNumber));

  test('an accepted checkout makes one contact, and the order keeps nothing of it but the number', async () => {
    const { cart, path } = await newCart(stand);
    const [before, ana] = [contactsNow(), guest()];
    const bought = done(await checkout(stand, path, { guest: { ...ana, language: 'fr' } }));
    expect(bought).toMatchObject({ state: 'confirmed', contactNumber: expect.stringMatching(/^C[0-9A-Z]{12}$/) });
    expect(contactOf(bought)).toEqual({ ...ana, language: 'fr' });
    done(await checkout(stand, path, { guest: ana }));
    expect(contactsNow()).toBe(before + 1);
    expect(JSON.stringify(await document(cart.id))).not.toContain(ana.email);
    expect(JSON.stringify(stand.facts)).not.toContain(ana.email);
  });

  test('a refused one makes none: declined, without the criterion, without an account, expired', async () => {
    const before = contactsNow();
    const { cart, path } = await newCart(stand);
    for (let count = 0; count < 30; count += 1) {
      const wish = { requestId: `r${count}`, guest: guest(), paymentToken: 'declined' };
      expect(await checkout(stand, path, wish)).toMatchObject({ reason: 'payment_declined' });
    }
    const account = await checkout(stand, path, { guest: guest(), paymentMethod: 'on_account' });
    expect(account.reason).toBe('account_required');
    const hall = stand.catalog.hall(3);
    const item = { ...hall.item(), tariffId: stand.catalog.tariff(hall, 500, 'member') };
    const members = done(await add(stand, mintCartId(), [{ ...item, contactNumber: newContact(stand, 'member') }]));
    const stranger = await checkout(stand, `/${members.id}`, { guest: guest() });
    expect(stranger.reason).toBe('tariff_not_accessible');
    await later();
    expect((await document(cart.id))?.contactNumber).toBeNull();
    const orders = stand.desk.orders.of('opera');
    await orders.update(cart.id, (order) => ({ next: { ...order, deadline: Date.now() - 1 } }));
    expect((await checkout(stand, path, { guest: guest() })).reason).toBe('cart_expired');
    expect(contactsNow()).toBe(before);
  });

  test('a second try with other data makes one contact, of what was accepted', async () => {
    const { path } = await newCart(stand);
    const before = contactsNow();
    await checkout(stand, path, { requestId: 'a', guest: guest('Ana'), paymentToken: 'declined' });
    const bought = done(await checkout(stand, path, { requestId: 'b', guest: guest('Eva') }));
    expect(contactOf(bought)).toMatchObject({ firstName: 'Eva' });
    expect(contactsNow()).toBe(before + 1);
  });

  test('an order whose payment failed, bought again with other data, has the same contact, which says so', async () => {
    const { path } = await newCart(stand);
    const before = contactsNow();
    const pending = done(await checkout(stand, path, { requestId: 'a', guest: guest('Ana'), paymentToken: 'pending' }));
    const { data } = await stand.call<{ items: { id: string }[] }>('GET', `${path}/payments`);
    const failed = await stand.call('PATCH', `${path}/payments/${data.items[0]?.id}`, { body: { status: 'failed' } });
    expect(failed.status).toBe(200);
    const bought = done(await checkout(stand, path, { requestId: 'b', guest: guest('Eva') }));
    expect(bought.contactNumber).toBe(pending.contactNumber);
    expect(contactOf(bought)).toMatchObject({ firstName: 'Eva' });
    expect(contactsNow()).toBe(before + 1);
  });

  test('a guest who buys again after the contact was erased gets another one, and so does one after a contact', async () => {
    const { path } = await newCart(stand);
    const failed = async () => {
      const { data } = await stand.call<{ items: { id: string; status: string }[] }>('GET', `${path}/payments`);
      const id = data.items.find(({ status }) => status === 'pending')?.id;
      expect((await stand.call('PATCH', `${path}/payments/${id}`, { body: { status: 'failed' } })).status).toBe(200);
    };
    const buy = async (requestId: string, who: object) => {
      const bought = done(await checkout(stand, path, { requestId, ...who, paymentToken: 'pending' }));
      await failed();
      return bought;
    };
    const first = await buy('a', { guest: guest('Ana') });
    stand.contacts.guests.delete(String(first.contactNumber));
    await stand.tell('contact.erased', { contactNumber: first.contactNumber, erasedAt: new Date().toISOString() });
    const second = await buy('b', { guest: guest('Eva') });
    expect(second.contactNumber).not.toBe(first.contactNumber);
    expect(contactOf(second)).toMatchObject({ firstName: 'Eva' });
    expect((await buy('c', { guest: guest('Eva') })).contactNumber).not.toBe(first.contactNumber);
    await buy('d', { contactNumber: newContact(stand) });
    const last = await buy('e', { guest: guest('Ida') });
    expect([first.contactNumber, second.contactNumber]).not.toContain(last.contactNumber);
    expect(contactOf(last)).toMatchObject({ firstName: 'Ida' });
  });

  test.each(['fails', 'lost', 'hangs'] as const)(
    'contacts whose answer %s do not stop the sale; the sweep makes the contact',
    async (how) => {
      const { path, cart } = await newCart(stand);
      stand.contacts.mishaps.set('writeGuest', how);
      const bought = done(await checkout(stand, path, { guest: guest() }));
      await later();
      expect((await document(cart.id))?.guest).toMatchObject({ firstName: 'Ana' });
      stand.contacts.mishaps.clear();
      await later();
      expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
      expect((await document(cart.id))?.guest).toBeNull();
    },
  );

  test.each(['before', 'after'] as const)(
    'a process that dies %s it: a repeat finds it, or the sweep',
    async (when) => {
      const [repeated, left] = [await newCart(stand), await newCart(stand)];
      const wish = { requestId: 'r', guest: guest(), paymentMethod: 'simulated' } as const;
      const before = contactsNow();
      for (const { cart } of [repeated, left]) {
        void checkoutCart(dying(stand.desk, when), { institution: 'opera', orderId: cart.id }, wish);
        await until(async () => (await document(cart.id))?.state === 'confirmed');
      }
      const bought = done(await checkout(stand, repeated.path, wish));
      expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
      await later();
      const found = await document(left.cart.id);
      expect(found?.guest).toBeNull();
      expect(contactOf({ contactNumber: found?.contactNumber ?? null })).toMatchObject({ firstName: 'Ana' });
      expect(contactsNow()).toBe(before + 2);
    },
  );

  test('either a contact or a guest buys, not both and not nobody', async () => {
    const { path } = await newCart(stand);
    const body = { requestId: 'r', paymentMethod: 'external' };
    for (const more of [{}, { guest: guest(), contactNumber: newContact(stand) }]) {
      const { status, code } = await stand.shop('POST', `${path}/checkout`, { body: { ...body, ...more } });
      expect([status, code]).toEqual([400, 'validation_error']);
    }
  });
});
