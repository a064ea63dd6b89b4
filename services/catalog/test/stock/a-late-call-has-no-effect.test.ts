import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
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

  test('sells nothing that another has taken since, nor anything that was released', async () => {
    const { show, holder, placeIds } = await heldAgain();
    await act(catalog, holder, 'release', { placeIds, asOf: 5 });
    expect(await act(catalog, holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused', missing: placeIds });
    const other = await hold(catalog, show, { placeIds });
    expect(await act(catalog, holder, 'sale', { placeIds })).toMatchObject({ outcome: 'refused', missing: placeIds });
    expect(await act(catalog, holder, 'release', { placeIds, asOf: 5, sold: true })).toEqual({ released: [] });
    expect(await availabilityOf(catalog, show)).toEqual(held);
    expect(await act(catalog, other.holder, 'sale', { placeIds })).toMatchObject({ outcome: 'done' });
  });

  test('negative control: without the holder the late sale takes the place of another', async () => {
    const { show, holder, placeIds } = await heldAgain();
    await act(catalog, holder, 'release', { placeIds, asOf: 5 });
    await hold(catalog, show, { placeIds });
    const { places } = collectionsOf(forgetting(catalog.store, 'holder'), catalog.institution);
    expect(await sellHold(places, { holder, placeIds })).toHaveProperty('places');
  });

  test('does not shorten a hold that was extended since', async () => {
    const show = await newShow(catalog, stalls(1));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1 });
    const placeIds = placeIdsOf(first);
    const heldUntil = inMinutes(60);
    const extend = (until: string) =>
      act<{ places: object[] }>(catalog, holder, 'extension', { heldUntil: until, placeIds });
    expect((await extend(heldUntil)).places).toMatchObject([{ heldUntil }]);
    expect(await extend(inMinutes(-1))).toMatchObject({ outcome: 'done', places: [{ heldUntil }] });
    expect(await availabilityOf(catalog, show)).toEqual(held);
  });

  test('does not shorten a hold that is extended while it runs', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
    const placeIds = placeIdsOf(first);
    const heldUntil = inMinutes(60);
    const longer = () => act(catalog, holder, 'extension', { heldUntil, placeIds });
    const { places } = collectionsOf(interrupted(catalog.store, longer), catalog.institution);
    const until = Date.parse(inMinutes(30));
    expect(await extendHold(places, { holder, placeIds }, until)).toHaveProperty('places');
    const ends = (await places.find({ where: { holder } })).map(({ freeFrom }) => freeFrom);
    expect(ends).toEqual([Date.parse(heldUntil), Date.parse(heldUntil)]);
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

  test('holds nothing again after the end that it asks for', async () => {
    const show = await newShow(catalog, stalls(1));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, heldUntil: inMinutes(-1) });
    const placeIds = placeIdsOf(first);
    const renewal = { requestId: 'late', heldUntil: inMinutes(-1), placeIds, asOf: 4 };
    expect(await act(catalog, holder, 'renewal', renewal)).toMatchObject({ outcome: 'refused', missing: placeIds });
    expect((await availabilityOf(catalog, show)).free).toBe(1);
  });

  test('holds places until the end that it asks for, of an order that has ended', async () => {
    const react = reactTo(catalog.store);
    for (const type of ['order.expired', 'order.cancelled'] as const) {
      const show = await newShow(catalog, stalls(1));
      const holder = `ord_${randomUUID()}`;
      await react(fact(catalog.institution, type, { orderId: holder, placeIds: [] }, 3), 1);
      const heldUntil = inMinutes(2);
      expect(await hold(catalog, show, { holder, asOf: 2, heldUntil })).toMatchObject({ outcome: 'held', heldUntil });
      const places = collectionsOf(catalog.store, catalog.institution).places.find({ where: { holder } });
      expect((await places).map(({ freeFrom }) => freeFrom)).toEqual([Date.parse(heldUntil)]);
    }
  });

  test('sells nothing of a performance that was cancelled: its places are free, and missing', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder, ...first } = await hold(catalog, show, { asOf: 1, quantity: 2 });
    const placeIds = placeIdsOf(first);
    const path = `/svc/v3/catalog/performances/${show.performance.id}`;
    await catalog.call('PATCH', path, { body: { state: 'cancelled' } });
    const late = await act(catalog, holder, 'sale', { placeIds });
    expect(late).toMatchObject({ outcome: 'refused', places: [] });
    expect([...late.missing].sort()).toEqual([...placeIds].sort());
    const { places } = collectionsOf(catalog.store, catalog.institution);
    expect(await places.find({ where: { holder } })).toEqual([]);
  });
});
