import { describe, expect, test } from '@jest/globals';
import {
  act,
  addMinutesToNow,
  createShow,
  createStalls,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  readAvailability,
} from '../fixture/service.ts';

describeOnEachEngine('shorter holds', (catalog) => {
  const shorten = (holder: string, body: object) => act<{ shortened: string[] }>(catalog, holder, 'shortening', body);

  describe('a hold that is shortened', () => {
    test('ends at its new end, when others can have the places', async () => {
      const show = await createShow(catalog, createStalls(2));
      const held = await hold(catalog, show, { quantity: 2, asOf: 1 });
      const placeIds = getHeldPlaceIds(held);
      const body = { placeIds, heldUntil: addMinutesToNow(-0.1), asOf: 2 };
      expect(new Set((await shorten(held.holder, body)).shortened)).toEqual(new Set(placeIds));
      expect(await readAvailability(catalog, show)).toMatchObject({ free: 2, held: 0 });
      expect((await hold(catalog, show, { quantity: 2 })).outcome).toBe('held');
    });

    test('is not shortened again by a repeat that comes after an extension, nor by one for an older version', async () => {
      const show = await createShow(catalog, createStalls(1));
      const held = await hold(catalog, show, { quantity: 1, asOf: 3 });
      const placeIds = getHeldPlaceIds(held);
      const body = { placeIds, heldUntil: addMinutesToNow(1), asOf: 4 };
      expect((await shorten(held.holder, { ...body, asOf: 3 })).shortened).toEqual([]);
      expect((await shorten(held.holder, body)).shortened).toEqual(placeIds);
      const heldUntil = addMinutesToNow(30);
      const { places } = await act<{ places: object[] }>(catalog, held.holder, 'extension', { placeIds, heldUntil });
      expect(places).toMatchObject([{ heldUntil }]);
      expect((await shorten(held.holder, body)).shortened).toEqual([]);
      const again = await act<{ places: object[] }>(catalog, held.holder, 'extension', { placeIds, heldUntil });
      expect(again.places).toMatchObject([{ heldUntil }]);
    });

    test('leaves sold places, and those of others, as they are', async () => {
      const show = await createShow(catalog, createStalls(2));
      const held = await hold(catalog, show, { quantity: 1, asOf: 1 });
      const placeIds = getHeldPlaceIds(held);
      const body = { placeIds, heldUntil: addMinutesToNow(-0.1), asOf: 2 };
      expect((await shorten('ord_other', body)).shortened).toEqual([]);
      await act(catalog, held.holder, 'sale', { placeIds });
      expect((await shorten(held.holder, body)).shortened).toEqual([]);
      expect(await readAvailability(catalog, show)).toMatchObject({ free: 1, sold: 1 });
    });

    test('gives a later attempt of a request no longer hold than it asks for', async () => {
      const show = await createShow(catalog, createStalls(2));
      const first = await hold(catalog, show, {
        requestId: 'lines',
        quantity: 1,
        asOf: 1,
        heldUntil: addMinutesToNow(20),
      });
      const heldUntil = addMinutesToNow(5);
      const { holder } = first;
      const again = await hold(catalog, show, { holder, requestId: 'lines', quantity: 1, asOf: 2, heldUntil });
      expect(again).toMatchObject({ heldUntil, lines: first.lines });
      expect(await readAvailability(catalog, show)).toMatchObject({ free: 1, held: 1 });
    });
  });
});
