import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand } from '../fixture/fixture.ts';
import { add, done, mintCartId, newCart, newContact, read, wish } from '../fixture/shopper.ts';

describe.each(engines)('a cart fills and empties, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  test('several performances in one cart, one line per place, all held as long as the first', async () => {
    const [first, second] = [stand.catalog.hall(3), stand.catalog.hall(3)];
    const id = mintCartId();
    const { expiresAt } = done(await add(stand, id, [first.item(2)]));
    const cart = done(await add(stand, id, [second.item(1, second.placeIds.slice(2))]));
    expect(cart).toMatchObject({ id, state: 'open', listed: false, total: 3_000, due: 3_000, expiresAt });
    expect(cart.lines).toHaveLength(3);
    expect(cart.lines.at(-1)?.place.id).toBe(second.placeIds[2]);
    expect(stand.catalog.placesOf(id).map(({ until }) => until)).toEqual(Array(3).fill(Date.parse(String(expiresAt))));
    expect(await read(stand, `/${id}`)).toEqual(cart);
  });

  test('of several first clicks at once one makes the cart, and none is lost', async () => {
    const hall = stand.catalog.hall(8);
    const id = mintCartId();
    const other = await stand.another();
    const clicks = Array.from({ length: 6 }, (_, index) => add(index % 2 ? stand : other, id, [hall.item()]));
    for (const each of await Promise.all(clicks)) done(each);
    expect((await read(stand, `/${id}`)).lines).toHaveLength(6);
    expect(stand.catalog.count(hall)).toEqual({ free: 2, held: 6, sold: 0 });
  });

  test('a repeated request adds nothing more, first or later, one after the other or at once', async () => {
    const hall = stand.catalog.hall(9);
    const id = mintCartId();
    for (const requestId of ['first', 'second']) {
      const both = await Promise.all([
        add(stand, id, [hall.item(2)], { requestId }),
        add(stand, id, [hall.item(2)], { requestId }),
      ]);
      for (const each of both) done(each);
      done(await add(stand, id, [hall.item(2)], { requestId }));
    }
    done(await add(stand, id, [hall.item(2)], { requestId: 'first' }));
    expect((await read(stand, `/${id}`)).lines).toHaveLength(4);
    expect(stand.catalog.count(hall).held).toBe(4);
  });

  test.each([
    ['places_unavailable', 'places_unavailable'],
    ['not_on_sale', 'not_on_sale'],
    ['too_many_places', 'too_many_places'],
    ['tariff_not_sold_here', 'tariff_not_sold_here'],
    ['unknown_reference', 'invalid_reference'],
  ])('what the catalog refuses as %s leaves a new cart unmade and another as it is', async (planted, reason) => {
    const { hall, cart, path } = await newCart(stand);
    stand.catalog.refuse(hall, planted);
    const refused = { outcome: 'refused', reason, details: expect.any(String), order: null };
    expect(await add(stand, mintCartId(), [hall.item()])).toEqual(refused);
    const more = await add(stand, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason, order: { lines: cart.lines } });
    expect((await read(stand, path)).lines).toEqual(cart.lines);
    expect(stand.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('quantities that contradict the places are refused', async () => {
    const hall = stand.catalog.hall(3);
    const item = { ...hall.item(3, hall.placeIds.slice(2)) };
    expect(await add(stand, mintCartId(), [item])).toMatchObject({ outcome: 'refused', reason: 'invalid_items' });
  });

  test('a removed line gives its place back, and the emptied cart starts anew with its next line', async () => {
    stand.catalog.holdMs = 60_000;
    const { hall, cart, path } = await newCart(stand, 1);
    stand.catalog.holdMs = 900_000;
    const line = `${path}/lines/${cart.lines[0]?.id}`;
    expect(done(await wish(stand, `${line}/removal`))).toMatchObject({ state: 'open', lines: [], total: 0 });
    expect(stand.catalog.count(hall).held).toBe(0);
    expect(await wish(stand, `${line}/removal`)).toMatchObject({ outcome: 'refused', reason: 'unknown_line' });
    const again = done(await add(stand, cart.id, [hall.item()]));
    expect(Date.parse(String(again.expiresAt))).toBeGreaterThan(Date.parse(String(cart.expiresAt)) + 600_000);
    expect(again.deadline).toBe(again.expiresAt);
  });

  test('a cart that was given up has no places any more, and takes none', async () => {
    const { hall, cart, path } = await newCart(stand);
    expect(done(await wish(stand, `${path}/giving-up`))).toMatchObject({ state: 'cancelled', listed: false });
    expect(stand.catalog.count(hall).held).toBe(0);
    done(await wish(stand, `${path}/giving-up`));
    const more = await add(stand, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'cancelled' } });
    expect(stand.catalog.count(hall).held).toBe(0);
  });

  test('it is given up durably although the catalog is down', async () => {
    const { path } = await newCart(stand);
    stand.catalog.mishaps.set('releaseHold', 'fails');
    const { state } = done(await wish(stand, `${path}/giving-up`));
    stand.catalog.mishaps.clear();
    expect(state).toBe('cancelled');
    expect(stand.facts.some(({ type, key }) => type === 'order.cancelled' && `/${key}` === path)).toBe(true);
  });

  test('an expired cart takes no lines', async () => {
    stand.catalog.holdMs = 1;
    const { hall, cart } = await newCart(stand);
    stand.catalog.holdMs = 900_000;
    const more = await add(stand, cart.id, [hall.item()]);
    expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'expired' } });
  });

  describe('tariffs that ask for something', () => {
    test('need a contact that has it, named in the request', async () => {
      const hall = stand.catalog.hall(3);
      const item = { ...hall.item(), tariffId: stand.catalog.tariff(hall, 500, 'member') };
      const [member, stranger] = [newContact(stand, 'member'), newContact(stand, 'student')];
      const { cart } = await newCart(stand);
      for (const contactNumber of [undefined, stranger, 'C-unknown']) {
        const refused = { outcome: 'refused', reason: 'tariff_not_accessible' };
        const asked = [{ ...item, ...(contactNumber ? { contactNumber } : {}) }];
        expect(await add(stand, mintCartId(), asked)).toMatchObject({ ...refused, order: null });
        expect(await add(stand, cart.id, [...asked, hall.item()])).toMatchObject(refused);
      }
      expect(stand.catalog.count(hall).held).toBe(0);
      const own = done(await add(stand, cart.id, [{ ...item, contactNumber: member }]));
      expect(own.lines.at(-1)).toMatchObject({ amount: 500, criterion: 'member' });
      expect((await add(stand, mintCartId(), [hall.item(), { ...item, contactNumber: member }])).outcome).toBe('done');
    });

    test('also when a line is changed to one, and the price changes with it', async () => {
      const { hall, cart, path } = await newCart(stand, 1);
      const tariffId = stand.catalog.tariff(hall, 400, 'member');
      const member = newContact(stand, 'member');
      const change = (body: object) =>
        wish(stand, `${path}/lines/${cart.lines[0]?.id}/change`, { requestId: 'r', ...body });
      const refused = { outcome: 'refused', reason: 'tariff_not_accessible', order: { total: 1_000 } };
      expect(await change({ tariffId })).toMatchObject(refused);
      expect(await change({ tariffId, contactNumber: newContact(stand) })).toMatchObject(refused);
      const changed = done(await change({ tariffId, contactNumber: member }));
      expect(changed).toMatchObject({ total: 400, lines: [{ tariffId, amount: 400, criterion: 'member' }] });
      expect(await change({ requestId: 's', contactNumber: newContact(stand) })).toMatchObject({
        reason: 'tariff_not_accessible',
      });
      const unknown = await change({ requestId: 't', tariffId: 'trf_unknown' });
      expect(unknown).toMatchObject({ outcome: 'refused', reason: 'invalid_reference', order: { total: 400 } });
      expect(done(await change({ requestId: 'u', tariffId: hall.tariffId })).total).toBe(1_000);
    });
  });

  test('who will come is kept by line: a name that is absent stays, null removes', async () => {
    const { cart, path } = await newCart(stand);
    const [first, second] = cart.lines;
    const change = (id: string | undefined, requestId: string, body: object) =>
      wish(stand, `${path}/lines/${id}/change`, { requestId, ...body });
    done(await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }));
    done(await change(second?.id, 'b', { beneficiaryLastName: 'Lipatti' }));
    done(await change(first?.id, 'c', { beneficiaryFirstName: null }));
    const last = done(await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }));
    expect(last.lines.map(({ beneficiary }) => beneficiary)).toEqual([
      { firstName: null, lastName: 'Haskil' },
      { firstName: null, lastName: 'Lipatti' },
    ]);
    done(await change(first?.id, 'd', { beneficiaryLastName: null }));
    expect((await read(stand, path)).lines[0]?.beneficiary).toBeNull();
    expect(await change('lin_unknown', 'e', {})).toMatchObject({ outcome: 'refused', reason: 'unknown_line' });
  });

  test('a cart that ends unbought forgets who would have come', async () => {
    const { cart, path } = await newCart(stand);
    const name = { requestId: 'a', beneficiaryFirstName: 'Clara' };
    done(await wish(stand, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    const { lines } = done(await wish(stand, `${path}/giving-up`));
    expect(lines.map(({ beneficiary }) => beneficiary)).toEqual([null, null]);
  });
});
