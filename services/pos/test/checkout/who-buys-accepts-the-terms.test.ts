import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID, type Shown } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());

/** A filled cart at a point of sale, and the purchase of it. */
const openCart = async (requireTerms: boolean) => {
  const { serviceHost: host } = fixture.catalog.pointOfSale({ requireTerms });
  const body = createShopper(fixture).itemOf();
  const { token: made, data } = await fixture.call<Shown>('POST', '/shopping-cart/items', {
    host,
    body,
    version: 'vexp',
  });
  const token = String(made);
  const buy = (more: object, version: 'v1' | 'vexp' = 'vexp') =>
    fixture.call<Shown>('POST', '/orders', {
      ...{ host, token, version, body: { ...createGuestCheckout(PAID), ...more } },
    });
  return { host, token, buy, recorded: () => fixture.orders.orders.get(String(data.id))?.termsAccepted };
};

describe('a point of sale that requires its terms', () => {
  test('refuses a purchase without them, and leaves the cart', async () => {
    const { host, token, buy, recorded } = await openCart(true);
    const refused = await buy({});
    expect([refused.status, refused.code]).toEqual([400, 'terms_required']);
    const cart = await fixture.call<Shown>('GET', '/shopping-cart', { host, token });
    expect([Object.keys(cart.data.items).length, recorded()]).toEqual([1, false]);
  });

  test('sells to who accepts them, and has it recorded with the order', async () => {
    const { buy, recorded } = await openCart(true);
    expect((await buy({ termsAccepted: true })).data.state).toBe('confirmed');
    expect(recorded()).toBe(true);
  });

  test('says so to shops; another one records it all the same, and none takes a refusal for a value', async () => {
    const [one, other] = [await openCart(true), await openCart(false)];
    const required = async ({ host }: { readonly host: string }) =>
      (await fixture.call<{ readonly requireTerms: boolean }>('GET', '/point-of-sale', { host, version: 'vexp' })).data
        .requireTerms;
    expect([await required(one), await required(other)]).toEqual([true, false]);
    expect((await other.buy({ termsAccepted: false })).status).toBe(400);
    expect((await other.buy({ termsAccepted: true })).data.state).toBe('confirmed');
    expect(other.recorded()).toBe(true);
  });

  test('sells as before in v1, where nobody can say so', async () => {
    const { buy, recorded } = await openCart(true);
    expect((await buy({ termsAccepted: true }, 'v1')).status).toBe(400);
    expect((await buy({}, 'v1')).data.state).toBe('confirmed');
    expect(recorded()).toBe(false);
  });
});
