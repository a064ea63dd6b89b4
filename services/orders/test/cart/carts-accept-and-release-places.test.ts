import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reason } from '../fixture/catalog.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { add, done, newCart, newCartId, newContact, read, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('carts accept and release places, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('a cart contains several performances, one line per place, all held until the same instant', async () => {
    const [first, second] = [fixture.catalog.hall(3), fixture.catalog.hall(3)];
    const id = newCartId();
    const { expiresAt } = done(await add(fixture, id, [first.item(2)]));
    const cart = done(await add(fixture, id, [second.item(1, second.placeIds.slice(2))]));
    expect(cart).toMatchObject({ id, state: 'open', listed: false, total: 3_000, due: 3_000, expiresAt });
    expect(cart.lines).toHaveLength(3);
    expect(cart.lines.at(-1)?.place.id).toBe(second.placeIds[2]);
    expect(fixture.catalog.placesOf(id).map(({ until }) => until)).toEqual(
      Array(3).fill(Date.parse(String(expiresAt))),
    );
    expect(await read(fixture, `/${id}`)).toEqual(cart);
  });

  test('of concurrent first requests one creates the cart, and none is lost', async () => {
    const hall = fixture.catalog.hall(8);
    const id = newCartId();
    const other = await fixture.another();
    const clicks = Array.from({ length: 6 }, (_, index) => add(index % 2 ? fixture : other, id, [hall.item()]));
    for (const each of await Promise.all(clicks)) done(each);
    expect((await read(fixture, `/${id}`)).lines).toHaveLength(6);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 6, sold: 0 });
  });

  test('a repeated addition adds nothing, sequential or concurrent', async () => {
    const hall = fixture.catalog.hall(9);
    const id = newCartId();
    for (const requestId of ['first', 'second']) {
      const both = await Promise.all([
        add(fixture, id, [hall.item(2)], { requestId }),
        add(fixture, id, [hall.item(2)], { requestId }),
      ]);
      for (const each of both) done(each);
      done(await add(fixture, id, [hall.item(2)], { requestId }));
    }
    done(await add(fixture, id, [hall.item(2)], { requestId: 'first' }));
    expect((await read(fixture, `/${id}`)).lines).toHaveLength(4);
    expect(fixture.catalog.count(hall).held).toBe(4);
  });

  test.each<Reason>([
    'places_unavailable',
    'not_on_sale',
    'too_many_places',
    'tariff_not_sold_here',
    'invalid_reference',
  ])('a refusal of the catalog (%s) creates no cart and changes none', async (reason) => {
    const { hall, cart, path } = await newCart(fixture);
    fixture.catalog.refuse(hall, reason);
    const refused = { outcome: 'refused', reason, details: expect.any(String), order: null };
    expect(await add(fixture, newCartId(), [hall.item()])).toEqual(refused);
    const more = await add(fixture, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason, order: { lines: cart.lines } });
    expect((await read(fixture, path)).lines).toEqual(cart.lines);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('a quantity that differs from the number of placeIds is refused', async () => {
    const hall = fixture.catalog.hall(3);
    const item = { ...hall.item(3, hall.placeIds.slice(2)) };
    expect(await add(fixture, newCartId(), [item])).toMatchObject({ outcome: 'refused', reason: 'invalid_items' });
  });

  test('removing a line releases its place, and the first line of an emptied cart starts a new hold', async () => {
    fixture.catalog.holdMs = 60_000;
    const { hall, cart, path } = await newCart(fixture, 1);
    fixture.catalog.holdMs = 900_000;
    const line = `${path}/lines/${cart.lines[0]?.id}`;
    expect(done(await shopPost(fixture, `${line}/removal`))).toMatchObject({ state: 'open', lines: [], total: 0 });
    expect(fixture.catalog.count(hall).held).toBe(0);
    expect(await shopPost(fixture, `${line}/removal`)).toMatchObject({ outcome: 'refused', reason: 'unknown_line' });
    const again = done(await add(fixture, cart.id, [hall.item()]));
    expect(Date.parse(String(again.expiresAt))).toBeGreaterThan(Date.parse(String(cart.expiresAt)) + 600_000);
    expect(again.deadline).toBe(again.expiresAt);
  });

  test('an abandoned cart holds no places and accepts none', async () => {
    const { hall, cart, path } = await newCart(fixture);
    expect(done(await shopPost(fixture, `${path}/giving-up`))).toMatchObject({ state: 'cancelled', listed: false });
    expect(fixture.catalog.count(hall).held).toBe(0);
    done(await shopPost(fixture, `${path}/giving-up`));
    const more = await add(fixture, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'cancelled' } });
    expect(fixture.catalog.count(hall).held).toBe(0);
  });

  test('a cart is abandoned durably while the catalog is down', async () => {
    const { path } = await newCart(fixture);
    fixture.catalog.mishaps.set('releaseHold', 'fails');
    const { state } = done(await shopPost(fixture, `${path}/giving-up`));
    fixture.catalog.mishaps.clear();
    expect(state).toBe('cancelled');
    expect(fixture.facts.some(({ type, key }) => type === 'order.cancelled' && `/${key}` === path)).toBe(true);
  });

  test('an expired cart accepts no lines', async () => {
    fixture.catalog.holdMs = 1;
    const { hall, cart } = await newCart(fixture);
    fixture.catalog.holdMs = 900_000;
    const more = await add(fixture, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'expired' } });
  });

  describe('tariffs with a criterion', () => {
    test('need a contact with the criterion in the request', async () => {
      const hall = fixture.catalog.hall(3);
      const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
      const [member, stranger] = [newContact(fixture, 'member'), newContact(fixture, 'student')];
      const { cart } = await newCart(fixture);
      for (const contactNumber of [undefined, stranger, 'C-unknown']) {
        const refused = { outcome: 'refused', reason: 'tariff_not_accessible' };
        const items = [{ ...item, ...(contactNumber ? { contactNumber } : {}) }];
        expect(await add(fixture, newCartId(), items)).toMatchObject({ ...refused, order: null });
        expect(await add(fixture, cart.id, [...items, hall.item()])).toMatchObject(refused);
      }
      expect(fixture.catalog.count(hall).held).toBe(0);
      const own = done(await add(fixture, cart.id, [{ ...item, contactNumber: member }]));
      expect(own.lines.at(-1)).toMatchObject({ amount: 500, criterion: 'member' });
      expect((await add(fixture, newCartId(), [hall.item(), { ...item, contactNumber: member }])).outcome).toBe('done');
    });

    test('need it also when a line changes to such a tariff, which changes the price', async () => {
      const { hall, cart, path } = await newCart(fixture, 1);
      const tariffId = fixture.catalog.tariff(hall, 400, 'member');
      const member = newContact(fixture, 'member');
      const change = (body: object) =>
        shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, { requestId: 'r', ...body });
      const refused = { outcome: 'refused', reason: 'tariff_not_accessible', order: { total: 1_000 } };
      expect(await change({ tariffId })).toMatchObject(refused);
      expect(await change({ tariffId, contactNumber: newContact(fixture) })).toMatchObject(refused);
      const changed = done(await change({ tariffId, contactNumber: member }));
      expect(changed).toMatchObject({ total: 400, lines: [{ tariffId, amount: 400, criterion: 'member' }] });
      expect(await change({ requestId: 's', contactNumber: newContact(fixture) })).toMatchObject({
        reason: 'tariff_not_accessible',
      });
      const unknown = await change({ requestId: 't', tariffId: 'trf_unknown' });
      expect(unknown).toMatchObject({ outcome: 'refused', reason: 'invalid_reference', order: { total: 400 } });
      expect(done(await change({ requestId: 'u', tariffId: hall.tariffId })).total).toBe(1_000);
    });
  });

  test('each line has its beneficiary: absent names stay, null removes', async () => {
    const { cart, path } = await newCart(fixture);
    const [first, second] = cart.lines;
    const change = (id: string | undefined, requestId: string, body: object) =>
      shopPost(fixture, `${path}/lines/${id}/change`, { requestId, ...body });
    done(await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }));
    done(await change(second?.id, 'b', { beneficiaryLastName: 'Lipatti' }));
    done(await change(first?.id, 'c', { beneficiaryFirstName: null }));
    const last = done(await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }));
    expect(last.lines.map(({ beneficiary }) => beneficiary)).toEqual([
      { firstName: null, lastName: 'Haskil' },
      { firstName: null, lastName: 'Lipatti' },
    ]);
    done(await change(first?.id, 'd', { beneficiaryLastName: null }));
    expect((await read(fixture, path)).lines[0]?.beneficiary).toBeNull();
    expect(await change('lin_unknown', 'e', {})).toMatchObject({ outcome: 'refused', reason: 'unknown_line' });
  });

  test('a cart that ends without a purchase has no beneficiaries', async () => {
    const { cart, path } = await newCart(fixture);
    const name = { requestId: 'a', beneficiaryFirstName: 'Clara' };
    done(await shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    const { lines } = done(await shopPost(fixture, `${path}/giving-up`));
    expect(lines.map(({ beneficiary }) => beneficiary)).toEqual([null, null]);
  });
});
