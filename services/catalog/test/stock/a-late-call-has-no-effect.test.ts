import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions/dispatch.ts';
import { extendHold, sellHold } from '../../src/stock/changes.ts';
import { renewHold } from '../../src/stock/renewal.ts';
import { collectionsOf } from '../../src/store.ts';
import { act, availabilityOf, hold, inMinutes, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';
import { fact, forgetting, interrupted } from '../releases/facts.ts';

describe.each(engines)(`a call of a process that was paused, on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  /** An order that had a place in version 1, released it in version 2, and has it again since version 4. */
  const heldAgain = async () => {
    const show = await newShow(catalog, stalls(1));
    const holder = `ord_${randomUUID()}`;
    const placeIds = placeIdsOf(await hold(catalog, show, { holder, requestId: 'one', asOf: 1 }));
    await act(catalog, holder, 'release', { placeIds, asOf: 2 });
    expect(placeIdsOf(await hold(catalog, show, { holder, requestId: 'two', asOf: 4 }))).toEqual(placeIds);
    return { show, holder, placeIds };
  };
  const held = { capacity: 1, free: 0, held: 1, sold: 0 };

  test('does not release places that its order holds again', async () => {
    const { show, holder, placeIds } = await heldAgain();
    expect(await act(catalog, holder, 'release', { placeIds, asOf: 2 })).toEqual({ released: [] });
    expect(await availabilityOf(catalog, show)).toEqual(held);
    expect(await act(catalog, holder, 'release', { placeIds, asOf: 5 })).toEqual({ released: placeIds });
  });

  test('sells nothing, and is refused as late rather than for lost places', async () => {
    const { show, holder, placeIds } = await heldAgain();
    expect(await act(catalog, holder, 'sale', { placeIds, asOf: 3 })).toMatchObject({ outcome: 'superseded' });
    expect(await availabilityOf(catalog, show)).toEqual(held);
    expect(await act(catalog, holder, 'sale', { placeIds, asOf: 5 })).toMatchObject({ outcome: 'done' });
  });

  test('negative control: without the version the late sale takes effect', async () => {
    const { show, holder, placeIds } = await heldAgain();
    const { places } = collectionsOf(forgetting(catalog.store, 'asOf'), catalog.institution);
    expect(await sellHold(places, { holder, placeIds, asOf: 3 })).toHaveProperty('places');
    expect((await availabilityOf(catalog, show)).sold).toBe(1);
  });

  test('does not shorten a hold that was extended since', async () => {
    const show = await newShow(catalog, stalls(1));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1 });
    const placeIds = placeIdsOf(first);
    const heldUntil = inMinutes(60);
    const longer = await act<{ places: object[] }>(catalog, holder, 'extension', { heldUntil, placeIds, asOf: 5 });
    expect(longer.places).toMatchObject([{ heldUntil }]);
    const late = await act(catalog, holder, 'extension', { heldUntil: inMinutes(-1), placeIds, asOf: 3 });
    expect(late).toMatchObject({ outcome: 'superseded' });
    expect(await availabilityOf(catalog, show)).toEqual(held);
  });

  test('does not undo the extension of a later attempt that overtook it, when it fails itself', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
    const placeIds = placeIdsOf(first);
    const heldUntil = inMinutes(60);
    const later = () => act(catalog, holder, 'extension', { heldUntil, placeIds, asOf: 3 });
    const { places } = collectionsOf(interrupted(catalog.store, later), catalog.institution);
    const until = Date.parse(heldUntil);
    expect(await extendHold(places, { holder, placeIds, asOf: 2 }, until)).toEqual({ superseded: true });
    const held = await places.find({ where: { holder } });
    expect(held.map(({ freeFrom, asOf }) => [freeFrom, asOf])).toEqual([
      [until, 3],
      [until, 3],
    ]);
  });

  test('does not undo the renewal of a later attempt that overtook it, when it fails itself', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2, heldUntil: inMinutes(-1) });
    const placeIds = placeIdsOf(first);
    const renewal = { requestId: 'late', heldUntil: inMinutes(2), placeIds };
    const later = () => act(catalog, holder, 'renewal', { ...renewal, asOf: 5 });
    const spoilt = collectionsOf(interrupted(catalog.store, later), catalog.institution);
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

  test('holds nothing for an order that has expired since, nor for one that was cancelled', async () => {
    const react = reactTo(catalog.store);
    for (const type of ['order.expired', 'order.cancelled'] as const) {
      const show = await newShow(catalog, stalls(1));
      const holder = `ord_${randomUUID()}`;
      await react(fact(catalog.institution, type, { orderId: holder, placeIds: [] }, 3), 1);
      const requested = { holder, requestId: 'late', asOf: 2 };
      expect(await hold(catalog, show, requested)).toMatchObject({ outcome: 'refused' });
      const { performance } = show;
      const [place] = await collectionsOf(catalog.store, catalog.institution).places.find({
        where: { performanceId: performance.id },
      });
      const renewal = { requestId: 'late', heldUntil: inMinutes(2), placeIds: [place?.id], asOf: 2 };
      expect(await act(catalog, holder, 'renewal', renewal)).toMatchObject({ outcome: 'superseded' });
      expect((await availabilityOf(catalog, show)).free).toBe(1);
    }
  });

  test('holds nothing again once another process has done so for its late payment, and the order has ended', async () => {
    const show = await newShow(catalog, stalls(1));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, heldUntil: inMinutes(-1) });
    const placeIds = placeIdsOf(first);
    const renewal = { requestId: 'late', heldUntil: inMinutes(2), placeIds };
    expect(await act(catalog, holder, 'renewal', { ...renewal, asOf: 5 })).toMatchObject({ outcome: 'done' });
    await act(catalog, holder, 'release', { placeIds, asOf: 6 });
    expect(await act(catalog, holder, 'renewal', { ...renewal, asOf: 4 })).toMatchObject({ outcome: 'superseded' });
    expect((await availabilityOf(catalog, show)).free).toBe(1);
  });
});
