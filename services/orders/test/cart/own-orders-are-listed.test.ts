import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { add, checkout, done, newCart, newCartId, newContact, type ShopOrder } from '../fixture/shopper.ts';

describe.each(engines)("a shopper's orders are listed by performance, on $name", (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const list = async (query: string) =>
    (await fixture.shop<{ items: ShopOrder[]; total: number }>('GET', `?${query}`)).data;
  const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);

  const bought = async (contactNumber: string, ...startDates: readonly string[]) => {
    const items = startDates.map((startDate) => fixture.catalog.hall(1, { startDate }).item());
    const cart = done(await add(fixture, newCartId(), items));
    done(await checkout(fixture, `/${cart.id}`, { contactNumber }));
    return cart.id;
  };

  test('the orders of a contact are listed by start of the first performance, then by id, in pages', async () => {
    const contactNumber = newContact(fixture);
    const late = await bought(contactNumber, '2027-09-01T19:00:00.000Z');
    const early = await bought(contactNumber, '2028-01-01T19:00:00.000Z', '2027-02-01T19:00:00.000Z');
    const same = [
      await bought(contactNumber, '2027-05-01T19:00:00.000Z'),
      await bought(contactNumber, '2027-05-01T19:00:00.000Z'),
    ];
    await bought(newContact(fixture), '2027-03-01T19:00:00.000Z');
    const all = [early, ...same.toSorted(), late];
    expect(await list(`contactNumber=${contactNumber}`)).toMatchObject({ items: all.map((id) => ({ id })), total: 4 });
    expect(await list(`contactNumber=${contactNumber}&offset=1&limit=2`)).toMatchObject({
      items: all.slice(1, 3).map((id) => ({ id })),
      total: 4,
    });
    expect(await list(`contactNumber=${contactNumber}&offset=9`)).toEqual({ items: [], total: 4 });
  });

  test('the orders in `ids` and those of the contact are listed once each, without carts and unknown ids', async () => {
    const contactNumber = newContact(fixture);
    const own = await bought(contactNumber, '2027-09-01T19:00:00.000Z');
    const guest = await bought(newContact(fixture), '2027-08-01T19:00:00.000Z');
    const { cart } = await newCart(fixture);
    expect(await ids(`ids=${guest},${own},${cart.id},ord_unknown,${guest}`)).toEqual([guest, own]);
    expect(await ids(`contactNumber=${contactNumber}&ids=${guest},${own}`)).toEqual([guest, own]);
    expect(await list('')).toEqual({ items: [], total: 0 });
    expect((await fixture.shop<{ total: number }>('GET', `?ids=${own}`, { institution: 'museum' })).data.total).toBe(0);
  });

  test('an order past due is listed as expired', async () => {
    const contactNumber = newContact(fixture);
    fixture.catalog.holdMs = 1;
    const { data } = await fixture.call('POST', '', {
      body: { contactNumber, items: [fixture.catalog.hall(1).item()] },
    });
    fixture.catalog.holdMs = 900_000;
    expect(await list(`contactNumber=${contactNumber}`)).toMatchObject({ items: [{ id: data.id, state: 'expired' }] });
  });
});
