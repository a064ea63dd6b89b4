import { startSweeper } from '@boxoffice/service';
import { describe, expect, test } from '@jest/globals';
import { addToCart } from '../../src/cart/cart.ts';
import { collections, retention } from '../../src/store.ts';
import type { Reason } from '../fixture/catalog.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { expectUnknown } from '../fixture/operations.ts';
import {
  add,
  buyCart,
  createCart,
  createCartId,
  createContact,
  postToShop,
  readCart,
  requireDone,
  type ShopOrder,
} from '../fixture/orders.ts';
import { moments, startDying } from '../fixture/services.ts';

describeOnEachEngine('carts', (fixture) => {
  describe('carts accept and release places', () => {
    test('a cart contains several performances, one line per place, all held until the same instant', async () => {
      const [first, second] = [fixture.catalog.hall(3), fixture.catalog.hall(3)];
      const id = createCartId();
      const { expiresAt } = requireDone(await add(fixture, id, [first.item(2)]));
      const cart = requireDone(await add(fixture, id, [second.item(1, second.placeIds.slice(2))]));
      expect(cart).toMatchObject({ id, state: 'open', listed: false, total: 3_000, due: 3_000, expiresAt });
      expect(cart.lines).toHaveLength(3);
      expect(cart.lines.at(-1)?.place.id).toBe(second.placeIds[2]);
      expect(fixture.catalog.placesOf(id).map(({ until }) => until)).toEqual(
        Array(3).fill(Date.parse(String(expiresAt))),
      );
      expect(await readCart(fixture, `/${id}`)).toEqual(cart);
    });

    test('of concurrent first requests one creates the cart, and none is lost', async () => {
      const hall = fixture.catalog.hall(8);
      const id = createCartId();
      const other = await fixture.another();
      const clicks = Array.from({ length: 6 }, (_, index) => add(index % 2 ? fixture : other, id, [hall.item()]));
      for (const each of await Promise.all(clicks)) requireDone(each);
      expect((await readCart(fixture, `/${id}`)).lines).toHaveLength(6);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 6, sold: 0 });
    });

    test('a repeated addition adds nothing, sequential or concurrent', async () => {
      const hall = fixture.catalog.hall(9);
      const id = createCartId();
      for (const requestId of ['first', 'second']) {
        const both = await Promise.all([
          add(fixture, id, [hall.item(2)], { requestId }),
          add(fixture, id, [hall.item(2)], { requestId }),
        ]);
        for (const each of both) requireDone(each);
        requireDone(await add(fixture, id, [hall.item(2)], { requestId }));
      }
      requireDone(await add(fixture, id, [hall.item(2)], { requestId: 'first' }));
      expect((await readCart(fixture, `/${id}`)).lines).toHaveLength(4);
      expect(fixture.catalog.count(hall).held).toBe(4);
    });

    test.each<Reason>([
      'places_unavailable',
      'not_on_sale',
      'too_many_places',
      'tariff_not_sold_here',
      'invalid_reference',
    ])('a refusal of the catalog (%s) creates no cart and changes none', async (reason) => {
      const { hall, cart, path } = await createCart(fixture);
      fixture.catalog.refuse(hall, reason);
      const refused = { outcome: 'refused', reason, details: expect.any(String), order: null };
      expect(await add(fixture, createCartId(), [hall.item()])).toEqual(refused);
      const more = await add(fixture, cart.id, [hall.item()]);
      expect(more).toMatchObject({ outcome: 'refused', reason, order: { lines: cart.lines } });
      expect((await readCart(fixture, path)).lines).toEqual(cart.lines);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
    });

    test('a quantity that differs from the number of placeIds is refused', async () => {
      const hall = fixture.catalog.hall(3);
      const item = { ...hall.item(3, hall.placeIds.slice(2)) };
      expect(await add(fixture, createCartId(), [item])).toMatchObject({ outcome: 'refused', reason: 'invalid_items' });
    });

    test('removing a line releases its place, and the first line of an emptied cart starts a new hold', async () => {
      fixture.catalog.holdMs = 60_000;
      const { hall, cart, path } = await createCart(fixture, 1);
      fixture.catalog.holdMs = 900_000;
      const line = `${path}/lines/${cart.lines[0]?.id}`;
      expect(requireDone(await postToShop(fixture, `${line}/removal`))).toMatchObject({
        state: 'open',
        lines: [],
        total: 0,
      });
      expect(fixture.catalog.count(hall).held).toBe(0);
      expect(await postToShop(fixture, `${line}/removal`)).toMatchObject({
        outcome: 'refused',
        reason: 'unknown_line',
      });
      const again = requireDone(await add(fixture, cart.id, [hall.item()]));
      expect(Date.parse(String(again.expiresAt))).toBeGreaterThan(Date.parse(String(cart.expiresAt)) + 600_000);
      expect(again.deadline).toBe(again.expiresAt);
    });

    test('an abandoned cart holds no places and accepts none', async () => {
      const { hall, cart, path } = await createCart(fixture);
      const ended = { state: 'cancelled', listed: false };
      expect(requireDone(await postToShop(fixture, `${path}/giving-up`))).toMatchObject(ended);
      expect(fixture.catalog.count(hall).held).toBe(0);
      requireDone(await postToShop(fixture, `${path}/giving-up`));
      const more = await add(fixture, cart.id, [hall.item()]);
      expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'cancelled' } });
      expect(fixture.catalog.count(hall).held).toBe(0);
      const { path: other } = await createCart(fixture);
      // Durably, while the catalog is down.
      fixture.catalog.mishaps.set('releaseHold', 'fails');
      expect(requireDone(await postToShop(fixture, `${other}/giving-up`))).toMatchObject(ended);
      fixture.catalog.mishaps.clear();
      await waitUntil(() => fixture.factsOf(other.slice(1)).some(({ type }) => type === 'order.cancelled'));
    });

    test('an expired cart accepts no lines', async () => {
      const { hall, cart } = await fixture.catalog.expiring(() => createCart(fixture));
      const more = await add(fixture, cart.id, [hall.item()]);
      expect(more).toMatchObject({ outcome: 'refused', reason: 'cart_gone', order: { state: 'expired' } });
    });

    describe('tariffs with a criterion', () => {
      test('need a contact with the criterion in the request', async () => {
        const hall = fixture.catalog.hall(3);
        const item = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
        const [member, stranger] = [createContact(fixture, 'member'), createContact(fixture, 'student')];
        const { cart } = await createCart(fixture);
        for (const contactNumber of [undefined, stranger, 'C-unknown']) {
          const refused = { outcome: 'refused', reason: 'tariff_not_accessible' };
          const items = [{ ...item, ...(contactNumber ? { contactNumber } : {}) }];
          expect(await add(fixture, createCartId(), items)).toMatchObject({ ...refused, order: null });
          expect(await add(fixture, cart.id, [...items, hall.item()])).toMatchObject(refused);
        }
        expect(fixture.catalog.count(hall).held).toBe(0);
        const own = requireDone(await add(fixture, cart.id, [{ ...item, contactNumber: member }]));
        expect(own.lines.at(-1)).toMatchObject({ amount: 500, criterion: 'member' });
        expect((await add(fixture, createCartId(), [hall.item(), { ...item, contactNumber: member }])).outcome).toBe(
          'done',
        );
      });

      test('need it also when a line changes to such a tariff, which changes the price', async () => {
        const { hall, cart, path } = await createCart(fixture, 1);
        const tariffId = fixture.catalog.tariff(hall, 400, 'member');
        const member = createContact(fixture, 'member');
        const change = (body: object) =>
          postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, { requestId: 'r', ...body });
        const refused = { outcome: 'refused', reason: 'tariff_not_accessible', order: { total: 1_000 } };
        expect(await change({ tariffId })).toMatchObject(refused);
        expect(await change({ tariffId, contactNumber: createContact(fixture) })).toMatchObject(refused);
        const changed = requireDone(await change({ tariffId, contactNumber: member }));
        expect(changed).toMatchObject({ total: 400, lines: [{ tariffId, amount: 400, criterion: 'member' }] });
        expect(await change({ requestId: 's', contactNumber: createContact(fixture) })).toMatchObject({
          reason: 'tariff_not_accessible',
        });
        const unknown = await change({ requestId: 't', tariffId: 'trf_unknown' });
        expect(unknown).toMatchObject({ outcome: 'refused', reason: 'invalid_reference', order: { total: 400 } });
        expect(requireDone(await change({ requestId: 'u', tariffId: hall.tariffId })).total).toBe(1_000);
      });
    });

    test('each line has its beneficiary: absent names stay, null removes', async () => {
      const { cart, path } = await createCart(fixture);
      const [first, second] = cart.lines;
      const change = (id: string | undefined, requestId: string, body: object) =>
        postToShop(fixture, `${path}/lines/${id}/change`, { requestId, ...body });
      requireDone(await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }));
      requireDone(await change(second?.id, 'b', { beneficiaryLastName: 'Lipatti' }));
      requireDone(await change(first?.id, 'c', { beneficiaryFirstName: null }));
      const last = requireDone(
        await change(first?.id, 'a', { beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' }),
      );
      expect(last.lines.map(({ beneficiary }) => beneficiary)).toEqual([
        { firstName: null, lastName: 'Haskil' },
        { firstName: null, lastName: 'Lipatti' },
      ]);
      requireDone(await change(first?.id, 'd', { beneficiaryLastName: null }));
      expect((await readCart(fixture, path)).lines[0]?.beneficiary).toBeNull();
      expect(await change('lin_unknown', 'e', {})).toMatchObject({ outcome: 'refused', reason: 'unknown_line' });
    });

    test('a cart that ends without a purchase has no beneficiaries', async () => {
      const { cart, path } = await createCart(fixture);
      const name = { requestId: 'a', beneficiaryFirstName: 'Clara' };
      requireDone(await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
      const { lines } = requireDone(await postToShop(fixture, `${path}/giving-up`));
      expect(lines.map(({ beneficiary }) => beneficiary)).toEqual([null, null]);
    });
  });

  describe('a cart is hidden from institutions until it is bought', () => {
    const listedIds = async () => {
      const { data } = await fixture.call<{ items: { id: string }[] }>('GET', '?limit=500');
      return data.items.map(({ id }) => id);
    };

    test('every operation of the institution API except reading by id answers as for an unknown order', async () => {
      const { cart, path } = await createCart(fixture);
      await expectUnknown(
        fixture,
        { orderId: cart.id, lineId: String(cart.lines[0]?.id) },
        {},
        { except: ['getOrder'] },
      );
      const { data } = await fixture.call('GET', path);
      expect(data).toMatchObject({ id: cart.id, state: 'open', updatedAt: expect.stringMatching(/^20/) });
      expect(await listedIds()).not.toContain(cart.id);
    });

    test('the checkout makes it visible under the same id', async () => {
      const { cart, path } = await createCart(fixture);
      const contactNumber = createContact(fixture);
      requireDone(await buyCart(fixture, path, { contactNumber }));
      expect((await fixture.call('GET', path)).data).toMatchObject({
        id: cart.id,
        state: 'confirmed',
        contactNumber,
        pointOfSale: 'tickets.opera.example',
        paymentStatus: 'paid',
      });
      expect(await listedIds()).toContain(cart.id);
    });

    test('an abandoned or expired cart is not listed', async () => {
      const { path } = await createCart(fixture);
      requireDone(await postToShop(fixture, `${path}/giving-up`));
      const expired = await fixture.catalog.expiring(() => createCart(fixture));
      expect(await readCart(fixture, expired.path)).toMatchObject({ state: 'expired', listed: false });
      expect((await fixture.call('GET', path)).data).toMatchObject({ state: 'cancelled' });
      expect((await fixture.call('GET', expired.path)).data).toMatchObject({ state: 'expired' });
      expect(await listedIds()).not.toContain(expired.cart.id);
    });

    test('cart operations refuse an order', async () => {
      const { cart, hall, path } = await createCart(fixture);
      requireDone(await buyCart(fixture, path, { contactNumber: createContact(fixture), paymentToken: 'pending' }));
      const line = `${path}/lines/${cart.lines[0]?.id}`;
      const gone = { outcome: 'refused', reason: 'cart_gone', order: { listed: true, state: 'payment_pending' } };
      expect(await postToShop(fixture, `${line}/removal`)).toMatchObject(gone);
      expect(await postToShop(fixture, `${line}/change`, { requestId: 'c', tariffId: hall.tariffId })).toMatchObject(
        gone,
      );
      expect(await postToShop(fixture, `${path}/giving-up`)).toMatchObject(gone);
    });

    test('a cart of another institution is unknown', async () => {
      const { path } = await createCart(fixture);
      for (const each of [path, '/ord_unknown'])
        expect((await fixture.shop('GET', each, { institution: 'museum' })).status).toBe(404);
      expect((await fixture.shop('POST', `${path}/giving-up`, { institution: 'museum' })).status).toBe(404);
      expect((await fixture.shop('POST', `${path}/fault-cancellation`, { institution: 'museum' })).data).toEqual({
        cancelled: false,
        state: null,
      });
    });
  });

  describe('the retention of carts', () => {
    const DAY_MS = 24 * 60 * 60_000;

    test('a cart that was never bought is deleted with its links a day after its end; orders stay', async () => {
      const make = () => createCart(fixture);
      const carts = await Promise.all([make(), make(), make(), make(), make()]);
      const [expired, abandoned, , bought, cancelled] = carts;
      const other = fixture.catalog.hall(1);
      requireDone(await add(fixture, expired.cart.id, [other.item(1)]));
      for (const one of [bought, cancelled])
        requireDone(await buyCart(fixture, one.path, { contactNumber: createContact(fixture) }));
      requireDone(await postToShop(fixture, `${cancelled.path}/cancellation`, { requestId: 'c' }));
      requireDone(await postToShop(fixture, `${abandoned.path}/giving-up`));
      const orders = fixture.context.orders.of('opera');
      await orders.update(expired.cart.id, (order) => ({ next: { ...order, deadline: Date.now() - 1 } }));
      await fixture.later();
      const links = fixture.context.links.of('opera');
      expect((await links.find({})).map(({ orderId }) => orderId)).toContain(expired.cart.id);

      const sweptAt = async (at: number): Promise<number> => {
        const logger = { warn: (message: string) => expect(message).toBeUndefined() };
        const sweeper = startSweeper({ store: fixture.store, collections, retention, logger, now: () => at });
        return sweeper.sweep().finally(() => sweeper.close());
      };
      expect(await sweptAt(Date.now())).toBe(0);
      // The work was done as of a few seconds later.
      expect(await sweptAt(Date.now() + DAY_MS + 60_000)).toBeGreaterThanOrEqual(2);
      const there = await Promise.all(carts.map(async ({ cart }) => (await orders.get(cart.id))?.state));
      expect(there).toEqual([undefined, undefined, 'open', 'confirmed', 'cancelled']);
      expect((await links.find({})).map(({ orderId }) => orderId)).not.toContain(expired.cart.id);
    });
  });

  describe('an erasure removes names from orders', () => {
    const bought = async (contactNumber: string, paymentToken = 'ok') => {
      const { cart, path } = await createCart(fixture, 1);
      const name = { requestId: 'a', beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' };
      requireDone(await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
      requireDone(await buyCart(fixture, path, { contactNumber, paymentToken }));
      return path;
    };
    const nameIn = async (path: string) => (await readCart(fixture, path)).lines[0]?.beneficiary;

    test("the beneficiaries of the contact's orders are removed; other orders and the order itself stay", async () => {
      const [erased, other] = [createContact(fixture), createContact(fixture)];
      const paths = [await bought(erased), await bought(erased, 'pending')];
      const untouched = await bought(other);
      await fixture.deliver('contact.erased', { contactNumber: erased });
      await waitUntil(async () => (await Promise.all(paths.map(nameIn))).every((name) => name === null));
      expect(await nameIn(untouched)).toEqual({ firstName: 'Clara', lastName: 'Haskil' });
      expect(await readCart(fixture, String(paths[0]))).toMatchObject({ state: 'confirmed', contactNumber: erased });
      await fixture.deliver('contact.erased', { contactNumber: erased });
    });
  });

  describe('cart changes of a dead process are repeated, or end with the hold', () => {
    const addition = (orderId: string, item: object, request = 'dead') =>
      ({
        institution: 'opera',
        orderId,
        request,
        pointOfSale: 'tickets.opera.example',
        address: '192.0.2.1',
        items: [item],
      }) as never;

    describe.each(moments)('the process dies %s the catalog acts', (when) => {
      test('there is no cart, and its id can be used by another request', async () => {
        const hall = fixture.catalog.hall(3);
        const id = createCartId();
        startDying(fixture, 'hold', when, (context) => addToCart(context, addition(id, hall.item(2))));
        if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
        expect((await fixture.shop('GET', `/${id}`)).status).toBe(404);
        expect(requireDone(await add(fixture, id, [hall.item()])).lines).toHaveLength(1);
        expect(fixture.catalog.count(hall).held).toBe(when === 'after' ? 3 : 1);
      });

      test('a repeat of the first addition gets the places that are held for it', async () => {
        const hall = fixture.catalog.hall(2);
        const id = createCartId();
        startDying(fixture, 'hold', when, (context) => addToCart(context, addition(id, hall.item(2))));
        if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
        const cart = await addToCart(fixture.context, addition(id, hall.item(2)));
        expect(cart).toMatchObject({ state: 'open', listedAt: null, heldPlaces: 2 });
        await fixture.later();
        expect((await readCart(fixture, `/${id}`)).lines).toHaveLength(2);
      });

      test('the cart accepts further lines', async () => {
        const { hall, cart, path } = await createCart(fixture, 1);
        startDying(fixture, 'hold', when, (context) => addToCart(context, addition(cart.id, hall.item())));
        if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
        expect(await fixture.document(cart.id)).toMatchObject({ heldPlaces: 1 });
        expect(requireDone(await add(fixture, cart.id, [hall.item()])).lines).toHaveLength(2);
        expect((await readCart(fixture, path)).total).toBe(2_000);
      });
    });
  });

  describe("a shopper's orders are listed by performance", () => {
    const list = async (query: string) =>
      (await fixture.shop<{ items: ShopOrder[]; total: number }>('GET', `?${query}`)).data;
    const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);

    const bought = async (contactNumber: string, ...startDates: readonly string[]) => {
      const items = startDates.map((startDate) => fixture.catalog.hall(1, { startDate }).item());
      const cart = requireDone(await add(fixture, createCartId(), items));
      requireDone(await buyCart(fixture, `/${cart.id}`, { contactNumber }));
      return cart.id;
    };

    test('the orders of a contact are listed by start of the first performance, then by id, in pages', async () => {
      const contactNumber = createContact(fixture);
      const late = await bought(contactNumber, '2027-09-01T19:00:00.000Z');
      const early = await bought(contactNumber, '2028-01-01T19:00:00.000Z', '2027-02-01T19:00:00.000Z');
      const same = [
        await bought(contactNumber, '2027-05-01T19:00:00.000Z'),
        await bought(contactNumber, '2027-05-01T19:00:00.000Z'),
      ];
      await bought(createContact(fixture), '2027-03-01T19:00:00.000Z');
      const all = [early, ...same.toSorted(), late];
      expect(await list(`contactNumber=${contactNumber}`)).toMatchObject({
        items: all.map((id) => ({ id })),
        total: 4,
      });
      expect(await list(`contactNumber=${contactNumber}&offset=1&limit=2`)).toMatchObject({
        items: all.slice(1, 3).map((id) => ({ id })),
        total: 4,
      });
      expect(await list(`contactNumber=${contactNumber}&offset=9`)).toEqual({ items: [], total: 4 });
    });

    test('the orders in `ids` and those of the contact are listed once each, without carts and unknown ids', async () => {
      const contactNumber = createContact(fixture);
      const own = await bought(contactNumber, '2027-09-01T19:00:00.000Z');
      const guest = await bought(createContact(fixture), '2027-08-01T19:00:00.000Z');
      const { cart } = await createCart(fixture);
      expect(await ids(`ids=${guest},${own},${cart.id},ord_unknown,${guest}`)).toEqual([guest, own]);
      expect(await ids(`contactNumber=${contactNumber}&ids=${guest},${own}`)).toEqual([guest, own]);
      expect(await list('')).toEqual({ items: [], total: 0 });
      expect((await fixture.shop<{ total: number }>('GET', `?ids=${own}`, { institution: 'museum' })).data.total).toBe(
        0,
      );
    });

    test('an order past due is listed as expired', async () => {
      const contactNumber = createContact(fixture);
      fixture.catalog.holdMs = 1;
      const { data } = await fixture.call('POST', '', {
        body: { contactNumber, items: [fixture.catalog.hall(1).item()] },
      });
      fixture.catalog.holdMs = 900_000;
      expect(await list(`contactNumber=${contactNumber}`)).toMatchObject({
        items: [{ id: data.id, state: 'expired' }],
      });
    });
  });
});
