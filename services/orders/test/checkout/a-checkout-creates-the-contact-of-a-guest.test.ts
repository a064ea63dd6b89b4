import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkoutCart } from '../../src/cart/checkout.ts';
import type { OrdersContext } from '../../src/context.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newCartId, newContact, type ShopOrder } from '../fixture/shopper.ts';

const never = (): Promise<never> => new Promise(() => undefined);

const guest = (firstName = 'Ana') => ({ firstName, lastName: 'Martin', email: `${randomUUID()}@example.org` });

/** The context of a process that dies when it writes the contact, before or after that takes effect. */
const dying = (context: OrdersContext, when: 'before' | 'after'): OrdersContext => {
  const writeGuest: OrdersContext['contacts']['writeGuest'] = async (...args) => {
    if (when === 'after') await context.contacts.writeGuest(...args);
    return never();
  };
  return { ...context, contacts: { ...context.contacts, writeGuest } };
};

describe.each(engines)('a checkout creates the contact of a guest, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const later = () => fixture.later(20_000);
  const contactsNow = () => fixture.contacts.guests.size;
  const contactOf = ({ contactNumber }: Pick<ShopOrder, 'contactNumber'>) =>
    fixture.contacts.guests.get(String(contactNumber));

  test('an accepted checkout creates one contact, and the order stores only its number', async () => {
    const { cart, path } = await newCart(fixture);
    const [before, ana] = [contactsNow(), guest()];
    const bought = done(await checkout(fixture, path, { guest: { ...ana, language: 'fr' } }));
    expect(bought).toMatchObject({ state: 'confirmed', contactNumber: expect.stringMatching(/^C[0-9A-Z]{12}$/) });
    expect(contactOf(bought)).toEqual({ ...ana, language: 'fr' });
    done(await checkout(fixture, path, { guest: ana }));
    expect(contactsNow()).toBe(before + 1);
    expect(JSON.stringify(await document(cart.id))).not.toContain(ana.email);
    expect(JSON.stringify(fixture.facts)).not.toContain(ana.email);
  });

  test('a refused checkout creates no contact: declined, without a criterion or an account, expired', async () => {
    const before = contactsNow();
    const { cart, path } = await newCart(fixture);
    for (let count = 0; count < 30; count += 1) {
      const requested = { requestId: `r${count}`, guest: guest(), paymentToken: 'declined' };
      expect(await checkout(fixture, path, requested)).toMatchObject({ reason: 'payment_declined' });
    }
    const account = await checkout(fixture, path, { guest: guest(), paymentMethod: 'on_account' });
    expect(account.reason).toBe('account_required');
    const hall = fixture.catalog.hall(3);
    const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
    const members = done(await add(fixture, newCartId(), [{ ...item, contactNumber: newContact(fixture, 'member') }]));
    const stranger = await checkout(fixture, `/${members.id}`, { guest: guest() });
    expect(stranger.reason).toBe('tariff_not_accessible');
    await later();
    expect((await document(cart.id))?.contactNumber).toBeNull();
    const orders = fixture.context.orders.of('opera');
    await orders.update(cart.id, (order) => ({ next: { ...order, deadline: Date.now() - 1 } }));
    expect((await checkout(fixture, path, { guest: guest() })).reason).toBe('cart_expired');
    expect(contactsNow()).toBe(before);
  });

  test('a second attempt with other data creates one contact with the accepted data', async () => {
    const { path } = await newCart(fixture);
    const before = contactsNow();
    await checkout(fixture, path, { requestId: 'a', guest: guest('Ana'), paymentToken: 'declined' });
    const bought = done(await checkout(fixture, path, { requestId: 'b', guest: guest('Eva') }));
    expect(contactOf(bought)).toMatchObject({ firstName: 'Eva' });
    expect(contactsNow()).toBe(before + 1);
  });

  test('an order bought again after a failed payment has the same contact with the new data', async () => {
    const { path } = await newCart(fixture);
    const before = contactsNow();
    const pending = done(
      await checkout(fixture, path, { requestId: 'a', guest: guest('Ana'), paymentToken: 'pending' }),
    );
    const { data } = await fixture.call<{ items: { id: string }[] }>('GET', `${path}/payments`);
    const failed = await fixture.call('PATCH', `${path}/payments/${data.items[0]?.id}`, { body: { status: 'failed' } });
    expect(failed.status).toBe(200);
    const bought = done(await checkout(fixture, path, { requestId: 'b', guest: guest('Eva') }));
    expect(bought.contactNumber).toBe(pending.contactNumber);
    expect(contactOf(bought)).toMatchObject({ firstName: 'Eva' });
    expect(contactsNow()).toBe(before + 1);
  });

  test('a guest gets a new contact number after an erasure, and after another buyer', async () => {
    const { path } = await newCart(fixture);
    const failed = async () => {
      const { data } = await fixture.call<{ items: { id: string; status: string }[] }>('GET', `${path}/payments`);
      const id = data.items.find(({ status }) => status === 'pending')?.id;
      expect((await fixture.call('PATCH', `${path}/payments/${id}`, { body: { status: 'failed' } })).status).toBe(200);
    };
    const buy = async (requestId: string, who: object) => {
      const bought = done(await checkout(fixture, path, { requestId, ...who, paymentToken: 'pending' }));
      await failed();
      return bought;
    };
    const first = await buy('a', { guest: guest('Ana') });
    fixture.contacts.guests.delete(String(first.contactNumber));
    await fixture.deliver('contact.erased', { contactNumber: first.contactNumber, erasedAt: new Date().toISOString() });
    const second = await buy('b', { guest: guest('Eva') });
    expect(second.contactNumber).not.toBe(first.contactNumber);
    expect(contactOf(second)).toMatchObject({ firstName: 'Eva' });
    expect((await buy('c', { guest: guest('Eva') })).contactNumber).not.toBe(first.contactNumber);
    await buy('d', { contactNumber: newContact(fixture) });
    const last = await buy('e', { guest: guest('Ida') });
    expect([first.contactNumber, second.contactNumber]).not.toContain(last.contactNumber);
    expect(contactOf(last)).toMatchObject({ firstName: 'Ida' });
  });

  test.each(['fails', 'lost', 'hangs after'] as const)(
    'the mishap "%s" of contacts does not stop the sale; the sweep writes the contact',
    async (how) => {
      const { path, cart } = await newCart(fixture);
      fixture.contacts.mishaps.set('writeGuest', how);
      const bought = done(await checkout(fixture, path, { guest: guest() }));
      await later();
      expect((await document(cart.id))?.guest).toMatchObject({ firstName: 'Ana' });
      fixture.contacts.mishaps.clear();
      await later();
      expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
      expect((await document(cart.id))?.guest).toBeNull();
    },
  );

  test.each(['before', 'after'] as const)(
    'if the process dies %s the contact is written, a repeat or the sweep writes it',
    async (when) => {
      const [repeated, left] = [await newCart(fixture), await newCart(fixture)];
      const requested = { requestId: 'r', guest: guest(), paymentMethod: 'simulated' } as const;
      const before = contactsNow();
      for (const { cart } of [repeated, left]) {
        void checkoutCart(dying(fixture.context, when), { institution: 'opera', orderId: cart.id }, requested);
        await until(async () => (await document(cart.id))?.state === 'confirmed');
      }
      const bought = done(await checkout(fixture, repeated.path, requested));
      expect(contactOf(bought)).toMatchObject({ firstName: 'Ana' });
      await later();
      const found = await document(left.cart.id);
      expect(found?.guest).toBeNull();
      expect(contactOf({ contactNumber: found?.contactNumber ?? null })).toMatchObject({ firstName: 'Ana' });
      expect(contactsNow()).toBe(before + 2);
    },
  );

  test('a checkout with both a contact and a guest, or with neither, is 400', async () => {
    const { path } = await newCart(fixture);
    const body = { requestId: 'r', paymentMethod: 'external' };
    for (const more of [{}, { guest: guest(), contactNumber: newContact(fixture) }]) {
      const { status, code } = await fixture.shop('POST', `${path}/checkout`, { body: { ...body, ...more } });
      expect([status, code]).toEqual([400, 'validation_error']);
    }
  });
});
