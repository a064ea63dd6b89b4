import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
import { extendHold, renewHold, sellHold } from '../../src/stock/changes.ts';
import { shortenHold } from '../../src/stock/shorten.ts';
import { openCollections } from '../../src/store.ts';
import {
  act,
  addMinutesToNow,
  addPointOfSale,
  buildItem,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  getHeldPlaceIds,
  type Held,
  hold,
  type Page,
  type RenewedHold,
  readAvailability,
  type Show,
  startInstance,
} from '../fixture/service.ts';
import { createFact, createForgetfulStore, createInterruptedStore } from '../releases/facts.ts';

describeOnEachEngine('holds', (catalog) => {
  describe('holds', () => {
    test('a hold returns all data that an order needs, and counts in the availability', async () => {
      const show = await createShow(catalog, createStalls(10));
      const before = Date.now();
      const held = await hold(catalog, show, { quantity: 3 });
      const heldAt = Date.parse(held.heldUntil ?? '') - 15 * 60_000;
      expect(heldAt >= before && heldAt <= Date.now()).toBe(true);
      expect(held).toMatchObject({ outcome: 'held', refusal: null, pointOfSale: null });
      expect(held.lines).toHaveLength(3);
      expect(held.lines[0]).toMatchObject({
        item: 0,
        productId: show.product.id,
        performanceId: show.performance.id,
        seatCategoryId: show.categoryId,
        tariffId: show.tariff.id,
        criterion: null,
        amount: 4_200,
        currency: 'CHF',
        place: { label: expect.stringMatching(/^STALLS \d+$/), row: null, seat: null },
      });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 10, free: 7, held: 3, sold: 0 });
    });

    test("what a ticket shows has the institution's languages first", async () => {
      const show = await createShow(catalog, createStalls(2));
      const name = { it: 'Flauto', en: 'Flute', fr: 'Flûte', 'fr-CH': 'Flûte (CH)' };
      const path = `/svc/v3/catalog/products/${show.product.id}`;
      expect((await catalog.call('PATCH', path, { body: { name } })).status).toBe(200);
      const { lines } = await hold(catalog, show, { quantity: 1 });
      expect(Object.keys(lines[0]?.about?.product ?? {})).toEqual(['fr', 'en', 'it', 'fr-CH']);
    });

    test('what a ticket shows says what was sold, and until when what is no show is valid', async () => {
      const endDate = '2031-06-30T22:00:00.000Z';
      const expected = {
        show: [undefined, undefined, undefined],
        pass: [undefined, '2031-05-01T20:00:00.000Z', endDate],
      };
      for (const [type, ends] of Object.entries(expected)) {
        const show = await createShow(catalog, createStalls(3), {}, type as keyof typeof expected);
        const { product, performance } = show;
        const changes = [
          [`performances/${performance.id}`, {}],
          [`performances/${performance.id}`, { durationMinutes: 90 }],
          [`products/${product.id}`, { endDate }],
        ] as const;
        for (const [index, [path, body]] of changes.entries()) {
          expect((await catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body })).status).toBe(200);
          const { productType, validUntil } = (await hold(catalog, show, { quantity: 1 })).lines[0]?.about ?? {};
          expect([productType, validUntil]).toEqual([type, ends[index]]);
        }
      }
    });

    test('too few places: nothing is held, and the answer names the item', async () => {
      const show = await createShow(catalog, createStalls(2));
      const refused = await hold(catalog, show, { quantity: 3 });
      expect(refused).toMatchObject({
        outcome: 'refused',
        lines: [],
        refusal: { reason: 'places_unavailable', item: 0 },
      });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 2, free: 2, held: 0, sold: 0 });
    });

    test('several performances in one request: one without enough places leaves the other unchanged', async () => {
      const [one, other] = [await createShow(catalog, createStalls(5)), await createShow(catalog, createStalls(1))];
      const items = [one, other].map((show) => buildItem(show, { quantity: 2 }));
      const body = { holder: `ord_${randomUUID()}`, requestId: 'one', items };
      const { data } = await catalog.call<Held>('POST', '/internal/stock/holds', { body });
      expect(data).toMatchObject({ outcome: 'refused', refusal: { reason: 'places_unavailable', item: 1 } });
      expect((await readAvailability(catalog, one)).free).toBe(5);
      expect((await readAvailability(catalog, other)).free).toBe(1);
    });

    test('the same request again gives the same places; another request of the holder gives more', async () => {
      const show = await createShow(catalog, createStalls(10));
      const first = await hold(catalog, show, { quantity: 2 });
      const { holder } = first;
      const again = await hold(catalog, show, { holder, quantity: 2 });
      expect(getHeldPlaceIds(again).sort()).toEqual(getHeldPlaceIds(first).sort());
      const more = await hold(catalog, show, { holder, requestId: 'two', quantity: 2 });
      expect(new Set([...getHeldPlaceIds(first), ...getHeldPlaceIds(more)]).size).toBe(4);
      expect((await readAvailability(catalog, show)).held).toBe(4);
    });

    test('the same request at the same time holds once', async () => {
      const show = await createShow(catalog, createStalls(30));
      const holder = `ord_${randomUUID()}`;
      const all = await Promise.all(Array.from({ length: 8 }, () => hold(catalog, show, { holder, quantity: 2 })));
      expect(new Set(all.flatMap(getHeldPlaceIds)).size).toBe(2);
      expect((await readAvailability(catalog, show)).held).toBe(2);
    });

    test('a repeat of the request that comes after the sale gives its places, still sold', async () => {
      const show = await createShow(catalog, createStalls(5));
      const held = await hold(catalog, show, { quantity: 2 });
      await act(catalog, held.holder, 'sale', { placeIds: getHeldPlaceIds(held) });
      const again = await hold(catalog, show, { holder: held.holder, quantity: 2 });
      expect(getHeldPlaceIds(again).sort()).toEqual(getHeldPlaceIds(held).sort());
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 3, held: 0, sold: 2 });
    });

    test('a hold that claims first looks for an earlier attempt only where too few places are free', async () => {
      const show = await createShow(catalog, createStalls(5));
      const request = { quantity: 2, claimFirst: true };
      const first = await hold(catalog, show, request);
      const { holder } = first;
      const again = await hold(catalog, show, { ...request, holder });
      expect(new Set([...getHeldPlaceIds(first), ...getHeldPlaceIds(again)]).size).toBe(4);
      const third = await hold(catalog, show, { ...request, holder });
      expect(third.lines).toHaveLength(2);
      // What the first attempt at the third has taken may be in another's answer: it lapses, too.
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 0, held: 5, sold: 0 });
      const seated = await createShow(catalog, createStalls(4, [4]));
      const placeIds = getHeldPlaceIds(await hold(catalog, seated, { ...request, holder }));
      const named = await hold(catalog, seated, { holder, placeIds, claimFirst: true });
      expect(getHeldPlaceIds(named).sort()).toEqual(placeIds.sort());
      expect(await hold(catalog, seated, { placeIds, claimFirst: true })).toMatchObject({ outcome: 'refused' });
    });

    test('a hold goes by each acknowledged change of the catalogue, on every instance', async () => {
      const other = await startInstance(catalog.store, catalog.institution);
      try {
        const show = await createShow(catalog, createStalls(20));
        const { product, performance } = show;
        const { prices } = performance;
        const amountOf = async () => (await hold(other, show)).lines[0]?.amount;
        const patch = async (path: string, body: object) =>
          expect((await catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body })).status).toBe(200);
        for (const amount of [4_200, 4_300, 4_400]) {
          const changed = prices.map((price) => ({ ...price, amount }));
          await patch(`performances/${performance.id}`, { prices: changed });
          expect([await amountOf(), await amountOf()]).toEqual([amount, amount]);
        }
        await patch(`products/${product.id}`, { state: 'suspended' });
        expect(await hold(other, show)).toMatchObject({ refusal: { reason: 'not_on_sale' } });
        await patch(`products/${product.id}`, { state: 'running' });
        await patch(`performances/${performance.id}`, { state: 'closed' });
        expect(await hold(other, show)).toMatchObject({ refusal: { reason: 'not_on_sale' } });
      } finally {
        await other.close();
      }
    });

    test('sale and release are idempotent, and only an explicit release frees sold places', async () => {
      const show = await createShow(catalog, createStalls(5));
      const held = await hold(catalog, show, { quantity: 3 });
      const placeIds = getHeldPlaceIds(held);
      for (const _ of [1, 2]) {
        const sold = await act(catalog, held.holder, 'sale', { placeIds });
        expect(sold.outcome).toBe('done');
        expect(sold.places.map(({ state }) => state)).toEqual(['sold', 'sold', 'sold']);
      }
      expect(await act(catalog, held.holder, 'release', {})).toEqual({ released: [] });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 2, held: 0, sold: 3 });
      const released = await act<{ released: string[] }>(catalog, held.holder, 'release', { sold: true });
      expect(released.released.sort()).toEqual(placeIds.sort());
      expect(await act(catalog, held.holder, 'release', { sold: true })).toEqual({ released: [] });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
    });

    test('places of another holder cannot be sold, extended or released', async () => {
      const show = await createShow(catalog, createStalls(2));
      const held = await hold(catalog, show, { quantity: 2 });
      const placeIds = getHeldPlaceIds(held);
      const heldUntil = new Date(Date.now() + 60_000).toISOString();
      expect(await act(catalog, 'ord_other', 'sale', { placeIds })).toMatchObject({
        outcome: 'refused',
        missing: placeIds,
      });
      expect(await act(catalog, 'ord_other', 'extension', { placeIds, heldUntil })).toMatchObject({
        outcome: 'refused',
      });
      expect(await act(catalog, 'ord_other', 'release', { placeIds })).toEqual({ released: [] });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 2, free: 0, held: 2, sold: 0 });
    });
  });

  describe('the end of holds', () => {
    test('an expired hold is shown and taken as free, and then lost to its holder', async () => {
      const show = await createShow(catalog, createStalls(2));
      const late = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 2, free: 2, held: 0, sold: 0 });
      const quick = await hold(catalog, show, { quantity: 2 });
      expect(getHeldPlaceIds(quick).sort()).toEqual(getHeldPlaceIds(late).sort());
      const placeIds = getHeldPlaceIds(late);
      expect(await act(catalog, late.holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused' });
      expect(await act(catalog, late.holder, 'release', {})).toEqual({ released: [] });
      expect((await readAvailability(catalog, show)).held).toBe(2);
    });

    test('an extension prolongs a hold, also an expired one whose places are still free', async () => {
      const show = await createShow(catalog, createStalls(2));
      const held = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const extended = await act(catalog, held.holder, 'extension', { heldUntil: addMinutesToNow(5) });
      expect(extended).toMatchObject({ outcome: 'done', missing: [] });
      expect((await readAvailability(catalog, show)).held).toBe(2);
    });

    test('an extension changes nothing if one of the places is lost', async () => {
      const show = await createShow(catalog, createStalls(3));
      const held = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const [lost = '', kept = ''] = getHeldPlaceIds(held);
      await hold(catalog, show, { placeIds: [lost] });
      const extended = await act(catalog, held.holder, 'extension', {
        heldUntil: addMinutesToNow(5),
        placeIds: [lost, kept],
      });
      expect(extended).toMatchObject({ outcome: 'refused', missing: [lost] });
      expect((await readAvailability(catalog, show)).held).toBe(1);
    });

    test('a late payment holds the same places again, or equivalent ones, and a repeat returns the same', async () => {
      const show = await createShow(catalog, createStalls(4));
      const held = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const placeIds = getHeldPlaceIds(held);
      const [lost = ''] = placeIds;
      await hold(catalog, show, { placeIds: [lost] });
      const requested = { requestId: 'late', heldUntil: addMinutesToNow(5), placeIds };
      const renewed = await act<RenewedHold>(catalog, held.holder, 'renewal', requested);
      expect(renewed.outcome).toBe('done');
      expect(renewed.places.map(({ replaces }) => replaces)).toEqual([lost, null]);
      expect(await act<RenewedHold>(catalog, held.holder, 'renewal', requested)).toEqual(renewed);
      expect((await readAvailability(catalog, show)).held).toBe(3);
      const ids = renewed.places.map(({ id }) => id);
      expect(await act(catalog, held.holder, 'sale', { placeIds: ids })).toMatchObject({ outcome: 'done' });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 4, free: 1, held: 1, sold: 2 });
    });

    test('a numbered seat that another buyer took cannot be held again, and then no place is', async () => {
      const show = await createShow(catalog, createStalls(4, [4]));
      const held = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const [lost = '', other = ''] = getHeldPlaceIds(held);
      await hold(catalog, show, { placeIds: [lost] });
      const requested = { requestId: 'late', heldUntil: addMinutesToNow(5), placeIds: [lost, other] };
      const renewed = await act<RenewedHold>(catalog, held.holder, 'renewal', requested);
      expect(renewed).toEqual({ outcome: 'refused', places: [], missing: [lost] });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 4, free: 3, held: 1, sold: 0 });
    });

    test('expired holds are taken like free places', async () => {
      const show = await createShow(catalog, createStalls(60));
      await hold(catalog, show, { quantity: 50, heldUntil: addMinutesToNow(-2), holder: `ord_${randomUUID()}` });
      const all = await Promise.all(Array.from({ length: 20 }, () => hold(catalog, show, { quantity: 3 })));
      expect(all.filter(({ outcome }) => outcome === 'held')).toHaveLength(20);
      expect(new Set(all.flatMap(getHeldPlaceIds)).size).toBe(60);
    });
  });

  describe('numbered seats and refusals', () => {
    const seats = async ({ performance }: Show, query = '') => {
      const path = `/svc/v3/catalog/performances/${performance.id}/places?limit=500${query}`;
      return (await catalog.call<Page<{ id: string; label: string; state: string }>>('GET', path)).data.items;
    };
    const patch = (path: string, body: object) => catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body });

    test('the best free seats are side by side, and the next buyer gets the next best', async () => {
      const show = await createShow(catalog, createStalls(20, [10, 10]));
      const labels = (held: Held) => held.lines.map(({ place }) => place.label);
      expect(labels(await hold(catalog, show, { quantity: 4 }))).toEqual(['A-4', 'A-5', 'A-6', 'A-7']);
      const next = labels(await hold(catalog, show, { quantity: 3 }));
      expect(new Set(next.map((label) => label[0])).size).toBe(1);
      expect((await hold(catalog, show, { quantity: 10 })).lines).toHaveLength(10);
      const apart = await hold(catalog, show, { quantity: 3 });
      expect(apart.lines).toHaveLength(3);
      expect((await hold(catalog, show)).outcome).toBe('refused');
    });

    test('32 concurrent buyers of pairs get pairs without overlap', async () => {
      const show = await createShow(catalog, createStalls(80, [20, 20, 20, 20]));
      const all = await Promise.all(Array.from({ length: 32 }, () => hold(catalog, show, { quantity: 2 })));
      expect(all.map(({ outcome }) => outcome)).toEqual(Array(32).fill('held'));
      expect(new Set(all.flatMap(getHeldPlaceIds)).size).toBe(64);
      for (const { lines } of all) {
        expect(lines[0]?.place.row).toBe(lines[1]?.place.row);
        expect(Math.abs((lines[0]?.place.seat ?? 0) - (lines[1]?.place.seat ?? 9))).toBe(1);
      }
    });

    test('named seats are held exactly or not at all', async () => {
      const show = await createShow(catalog, createStalls(4, [4]));
      const [first, second, third] = (await seats(show)).map(({ id }) => id);
      if (!first || !second || !third) throw new Error('seats are missing');
      const held = await hold(catalog, show, { placeIds: [third, first] });
      expect(getHeldPlaceIds(held).sort()).toEqual([first, third].sort());
      const taken = await hold(catalog, show, { placeIds: [second, third] });
      expect(taken).toMatchObject({ outcome: 'refused', refusal: { reason: 'places_unavailable' } });
      expect((await seats(show, '&state=free')).map(({ label }) => label)).toEqual(['A-2', 'A-4']);
      expect((await seats(show, '&state=held')).map(({ id }) => id)).toEqual([first, third]);
    });

    test('concurrent overlapping requests: each seat goes to one buyer, each buyer gets all or none', async () => {
      const show = await createShow(catalog, createStalls(12, [12]));
      const ids = (await seats(show)).map(({ id }) => id);
      const requests = Array.from({ length: 24 }, (_, index) =>
        [0, 1, 2].map((step) => ids[(index + step) % 12] ?? ''),
      );
      const all = await Promise.all(requests.map((placeIds) => hold(catalog, show, { placeIds })));
      const won = all.filter(({ outcome }) => outcome === 'held');
      expect(won.length).toBeGreaterThan(0);
      expect(new Set(won.flatMap(getHeldPlaceIds)).size).toBe(won.length * 3);
      expect((await readAvailability(catalog, show)).held).toBe(won.length * 3);
    });

    test('unknown or contradictory items are refused, by the path of each unknown id, and nothing is held', async () => {
      const [show, other] = [
        await createShow(catalog, createStalls(4, [4])),
        await createShow(catalog, createStalls(4, [4])),
      ];
      const [own = '', next = ''] = (await seats(show)).map(({ id }) => id);
      const [foreign = ''] = (await seats(other)).map(({ id }) => id);
      const unpriced = await createTariff(catalog);
      const item = buildItem(show);
      const ask = async (items: readonly object[], more: object = {}, path = 'holds') => {
        const body = {
          ...(path === 'holds' ? { holder: `ord_${randomUUID()}`, requestId: 'one' } : {}),
          items,
          ...more,
        };
        const { data } = await catalog.call<Held>('POST', `/internal/stock/${path}`, { body });
        const paths = (data.refusal as { details?: string } | null)?.details?.match(/\$\.[^:; ]+/g) ?? [];
        return [data.outcome, data.refusal?.reason, paths.sort()];
      };
      const many = [
        { ...item, performanceId: 'prf_unknown', tariffId: 'trf_unknown' },
        { ...item, seatCategoryId: other.categoryId, placeIds: ['plc_of_nothing'] },
        { ...item, tariffId: unpriced.id, placeIds: [own, 'plc_unknown'] },
        { ...item, placeIds: [next, own] },
      ];
      const named = [
        '$.items[0].performanceId',
        '$.items[0].tariffId',
        '$.items[1].seatCategoryId',
        '$.items[2].placeIds[1]',
        '$.items[2].tariffId',
        '$.items[3].placeIds[1]',
        '$.pointOfSale',
      ];
      const refused = ['refused', 'invalid_reference'];
      expect(await ask(many, { pointOfSale: 'no.such.host' })).toEqual([...refused, named]);
      expect(await ask(many, { pointOfSale: 'no.such.host' }, 'quotes')).toEqual([...refused, named]);
      const strangers = [
        { ...item, placeIds: ['plc_one', own] },
        { ...item, placeIds: ['plc_two'] },
      ];
      expect(await ask(strangers)).toEqual([...refused, ['$.items[0].placeIds[0]', '$.items[1].placeIds[0]']]);
      for (const more of [{ placeIds: [own, foreign] }, { placeIds: [own, own] }, { placeIds: [own], quantity: 2 }])
        expect((await ask([{ ...item, ...more }])).slice(0, 2)).toEqual(refused);
      expect((await readAvailability(catalog, show)).held).toBe(0);
    });

    test('only performances on sale can be held', async () => {
      const show = await createShow(catalog, createStalls(4));
      const refused = { outcome: 'refused', refusal: { reason: 'not_on_sale' } };
      const performance = `performances/${show.performance.id}`;
      await patch(performance, { salesFrom: new Date(Date.now() + 60_000).toISOString() });
      expect(await hold(catalog, show)).toMatchObject(refused);
      await patch(performance, { salesFrom: null, salesTo: new Date(Date.now() - 1).toISOString() });
      expect(await hold(catalog, show)).toMatchObject(refused);
      await patch(performance, { salesTo: null, state: 'closed' });
      expect(await hold(catalog, show)).toMatchObject(refused);
      await patch(performance, { state: 'on_sale' });
      expect((await hold(catalog, show)).outcome).toBe('held');
      await patch(`products/${show.product.id}`, { state: 'suspended' });
      expect(await hold(catalog, show)).toMatchObject(refused);
    });

    test('a point of sale limits tariffs, places per order and hold time', async () => {
      const show = await createShow(catalog, createStalls(20));
      const host = await addPointOfSale(catalog, { maxPlacesPerOrder: 3, holdMinutes: 0.5 });
      const ask = (quantity: number, more: object = {}) =>
        catalog.call<Held>('POST', '/internal/stock/holds', {
          body: {
            holder: `ord_${randomUUID()}`,
            requestId: 'one',
            pointOfSale: host.toUpperCase(),
            items: [buildItem(show, { quantity })],
            ...more,
          },
        });
      expect((await ask(1)).data.refusal?.reason).toBe('tariff_not_sold_here');
      expect((await ask(1, { items: [buildItem(show), buildItem(show)] })).data.refusal).toMatchObject({
        details: expect.stringMatching(/^\$\.items\[0\]\.tariffId: .*; \$\.items\[1\]\.tariffId: /),
      });
      await patch(`points-of-sale/${host}`, { tariffIds: [show.tariff.id] });
      expect((await ask(4)).data.refusal?.reason).toBe('too_many_places');
      expect((await ask(2, { placesInOrder: 2 })).data.refusal?.reason).toBe('too_many_places');
      expect((await ask(1, { pointOfSale: 'nobody.example' })).data.refusal?.reason).toBe('invalid_reference');
      const before = Date.now();
      const { data } = await ask(3);
      expect(data.pointOfSale).toEqual({
        serviceHost: host,
        paymentMethods: ['external'],
        maxPlacesPerOrder: 3,
        holdMinutes: 0.5,
        ticketDelivery: 'electronic',
      });
      const heldAt = Date.parse(data.heldUntil ?? '') - 30_000;
      expect(heldAt >= before && heldAt <= Date.now()).toBe(true);
    });
  });

  describe('a call of a process that was paused', () => {
    /** An order that had a place in version 1, released it in version 2, and has it again since version 4. */
    const heldAgain = async () => {
      const show = await createShow(catalog, createStalls(1));
      const holder = `ord_${randomUUID()}`;
      const placeIds = getHeldPlaceIds(await hold(catalog, show, { holder, requestId: 'one', asOf: 1 }));
      await act(catalog, holder, 'release', { placeIds, asOf: 2 });
      expect(getHeldPlaceIds(await hold(catalog, show, { holder, requestId: 'two', asOf: 4 }))).toEqual(placeIds);
      return { show, holder, placeIds };
    };
    const held = { capacity: 1, free: 0, held: 1, sold: 0 };

    test('does not release places that its order holds again', async () => {
      const { show, holder, placeIds } = await heldAgain();
      expect(await act(catalog, holder, 'release', { placeIds, asOf: 2 })).toEqual({ released: [] });
      expect(await readAvailability(catalog, show)).toEqual(held);
      expect(await act(catalog, holder, 'release', { placeIds, asOf: 5 })).toEqual({ released: placeIds });
    });

    test('sells nothing that another has taken since, nor anything that was released', async () => {
      const { show, holder, placeIds } = await heldAgain();
      await act(catalog, holder, 'release', { placeIds, asOf: 5 });
      expect(await act(catalog, holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused', missing: placeIds });
      const other = await hold(catalog, show, { placeIds });
      expect(await act(catalog, holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused', missing: placeIds });
      expect(await act(catalog, holder, 'release', { placeIds, asOf: 5, sold: true })).toEqual({ released: [] });
      expect(await readAvailability(catalog, show)).toEqual(held);
      expect(await act(catalog, other.holder, 'sale', { placeIds })).toMatchObject({ outcome: 'done' });
    });

    test('negative control: without the holder the late sale takes the place of another', async () => {
      const { show, holder, placeIds } = await heldAgain();
      await act(catalog, holder, 'release', { placeIds, asOf: 5 });
      await hold(catalog, show, { placeIds });
      const { places } = openCollections(createForgetfulStore(catalog.store, 'holder'), catalog.institution);
      expect(await sellHold(places, { holder, placeIds })).toHaveProperty('places');
    });

    test('does not shorten a hold that was extended since', async () => {
      const show = await createShow(catalog, createStalls(1));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1 });
      const placeIds = getHeldPlaceIds(first);
      const heldUntil = addMinutesToNow(60);
      const extend = (until: string) =>
        act<{ places: object[] }>(catalog, holder, 'extension', { heldUntil: until, placeIds });
      expect((await extend(heldUntil)).places).toMatchObject([{ heldUntil }]);
      expect(await extend(addMinutesToNow(-1))).toMatchObject({ outcome: 'done', places: [{ heldUntil }] });
      expect(await readAvailability(catalog, show)).toEqual(held);
    });

    test('does not shorten a hold that is extended while it runs', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
      const placeIds = getHeldPlaceIds(first);
      const heldUntil = addMinutesToNow(60);
      const longer = () => act(catalog, holder, 'extension', { heldUntil, placeIds });
      const { places } = openCollections(createInterruptedStore(catalog.store, longer), catalog.institution);
      const until = Date.parse(addMinutesToNow(30));
      expect(await extendHold(places, { holder, placeIds }, until)).toHaveProperty('places');
      const ends = (await places.find({ where: { holder } })).map(({ freeFrom }) => freeFrom);
      expect(ends).toEqual([Date.parse(heldUntil), Date.parse(heldUntil)]);
    });

    test('succeeds beside others of the same holder, whatever their ends; the latest end stays', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
      const placeIds = getHeldPlaceIds(first);
      const ends = Array.from({ length: 24 }, (_, index) => addMinutesToNow(20 + ((index * 7) % 24)));
      const extend = (heldUntil: string) => act(catalog, holder, 'extension', { heldUntil, placeIds });
      for (const { outcome, missing } of await Promise.all(ends.map(extend)))
        expect([outcome, missing]).toEqual(['done', []]);
      const { places } = openCollections(catalog.store, catalog.institution);
      const latest = Math.max(...ends.map((end) => Date.parse(end)));
      expect((await places.find({ where: { holder } })).map(({ freeFrom }) => freeFrom)).toEqual([latest, latest]);
    });

    test('succeeds after another one of the same holder that came between and was shortened', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
      const placeIds = getHeldPlaceIds(first);
      const until = Date.parse(addMinutesToNow(60));
      const own = openCollections(catalog.store, catalog.institution).places;
      const between = () => extendHold(own, { holder, placeIds }, until + 60_000);
      const overtaken = openCollections(createInterruptedStore(catalog.store, between), catalog.institution).places;
      // What it has lost is looked at after the shortening.
      const count = async (where: Parameters<typeof own.count>[0]) => {
        await shortenHold(own, { holder, placeIds, asOf: 2 }, Date.parse(addMinutesToNow(20)));
        return own.count(where);
      };
      expect(await extendHold({ ...overtaken, count }, { holder, placeIds }, until)).toHaveProperty('places');
      expect((await own.find({ where: { holder } })).map(({ freeFrom }) => freeFrom)).toEqual([until, until]);
    });

    test('does not undo the renewal of a later attempt that overtook it, when it fails itself', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2, heldUntil: addMinutesToNow(-1) });
      const placeIds = getHeldPlaceIds(first);
      const renewal = { requestId: 'late', heldUntil: addMinutesToNow(2), placeIds };
      const later = () => act(catalog, holder, 'renewal', { ...renewal, asOf: 5 });
      const spoilt = openCollections(createInterruptedStore(catalog.store, later), catalog.institution);
      const { heldUntil, requestId: request } = renewal;
      const asked = { holder, request, placeIds, until: Date.parse(heldUntil), asOf: 4, now: Date.now() };
      await renewHold(spoilt, asked);
      const held = await spoilt.places.find({ where: { holder } });
      expect(held.map(({ state, asOf }) => [state, asOf])).toEqual([
        ['held', 5],
        ['held', 5],
      ]);
      expect(held.every(({ freeFrom }) => freeFrom === Date.parse(heldUntil))).toBe(true);
    });

    test('holds nothing again after the end that it asks for', async () => {
      const show = await createShow(catalog, createStalls(1));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, heldUntil: addMinutesToNow(-1) });
      const placeIds = getHeldPlaceIds(first);
      const renewal = { requestId: 'late', heldUntil: addMinutesToNow(-1), placeIds, asOf: 4 };
      expect(await act(catalog, holder, 'renewal', renewal)).toMatchObject({ outcome: 'refused', missing: placeIds });
      expect((await readAvailability(catalog, show)).free).toBe(1);
    });

    test('holds places until the end that it asks for, of an order that has ended', async () => {
      const react = reactTo(catalog.store);
      for (const type of ['order.expired', 'order.cancelled'] as const) {
        const show = await createShow(catalog, createStalls(1));
        const holder = `ord_${randomUUID()}`;
        await react(createFact(catalog.institution, type, { orderId: holder, placeIds: [] }, 3), 1);
        const heldUntil = addMinutesToNow(2);
        expect(await hold(catalog, show, { holder, asOf: 2, heldUntil })).toMatchObject({ outcome: 'held', heldUntil });
        const places = openCollections(catalog.store, catalog.institution).places.find({ where: { holder } });
        expect((await places).map(({ freeFrom }) => freeFrom)).toEqual([Date.parse(heldUntil)]);
      }
    });

    test('sells nothing of a performance that was cancelled: its places are free, and missing', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
      const placeIds = getHeldPlaceIds(first);
      const path = `/svc/v3/catalog/performances/${show.performance.id}`;
      await catalog.call('PATCH', path, { body: { state: 'cancelled' } });
      const late = await act(catalog, holder, 'sale', { placeIds });
      expect(late).toMatchObject({ outcome: 'refused', places: [] });
      expect([...late.missing].sort()).toEqual([...placeIds].sort());
      const { places } = openCollections(catalog.store, catalog.institution);
      expect(await places.find({ where: { holder } })).toEqual([]);
    });
  });
});
