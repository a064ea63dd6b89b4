import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contextOf } from '../../src/context.ts';
import { createHoldsContext, type HoldRequest, hold as holdAt } from '../../src/stock/hold.ts';
import type { Collections } from '../../src/store.ts';
import { act, availabilityOf, hold, inMinutes, newShow, placeIdsOf, type Show, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

const PLACES = 4;

describe.each(engines)(`a hold that its caller abandons while it runs, on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  const requestOf = ({ performance, categoryId, tariff }: Show, holder: string): HoldRequest => ({
    holder,
    request: 'lines',
    asOf: 1,
    heldUntil: inMinutes(60),
    items: [{ performanceId: performance.id, seatCategoryId: categoryId, tariffId: tariff.id, quantity: PLACES }],
  });

  /**
   * Holds places; `meanwhile` runs after the places are taken and before the hold checks whether it was abandoned.
   */
  const holdSlowly = (requested: HoldRequest, meanwhile: (collections: Collections) => Promise<unknown>) => {
    const context = contextOf(catalog.store, catalog.institution);
    const { collections } = context;
    const get: Collections['abandoned']['get'] = async (id) => {
      await meanwhile(collections);
      return collections.abandoned.get(id);
    };
    return holdAt(
      { ...context, collections: { ...collections, abandoned: { ...collections.abandoned, get } } },
      requested,
      createHoldsContext(),
    );
  };
  const abandon = (holder: string) => act(catalog, holder, 'release', { requestId: 'lines', asOf: 2 });

  test('a release before the hold: the hold releases the places that it takes', async () => {
    const show = await newShow(catalog, stalls(PLACES));
    const holder = `ord_${randomUUID()}`;
    await abandon(holder);
    const outcome = await holdSlowly(requestOf(show, holder), async () => undefined);
    expect(outcome).toMatchObject({ reason: 'places_unavailable' });
    expect(await availabilityOf(catalog, show)).toMatchObject({ free: PLACES, held: 0 });
  });

  test('a release after the places are taken: the release frees them', async () => {
    const show = await newShow(catalog, stalls(PLACES));
    const holder = `ord_${randomUUID()}`;
    await holdSlowly(requestOf(show, holder), () => abandon(holder));
    expect(await availabilityOf(catalog, show)).toMatchObject({ free: PLACES, held: 0 });
  });

  test('the id of an order that was not created can hold again by another request', async () => {
    const show = await newShow(catalog, stalls(PLACES));
    const holder = `ord_${randomUUID()}`;
    await act(catalog, holder, 'release', { requestId: 'dropped', asOf: 4 });
    const again = await hold(catalog, show, { holder, requestId: 'again', asOf: 1, quantity: PLACES });
    expect(placeIdsOf(again)).toHaveLength(PLACES);
    const late = await hold(catalog, show, { holder, requestId: 'dropped', asOf: 3 });
    expect(late).toMatchObject({ outcome: 'refused' });
  });

  test('a later attempt of the same request holds the places, and the first attempt does not release them', async () => {
    const show = await newShow(catalog, stalls(PLACES));
    const holder = `ord_${randomUUID()}`;
    let again: string[] = [];
    await holdSlowly(requestOf(show, holder), async () => {
      await abandon(holder);
      const second = await hold(catalog, show, { holder, requestId: 'lines', asOf: 3, quantity: PLACES });
      again = placeIdsOf(second);
    });
    expect(again).toHaveLength(PLACES);
    expect((await act(catalog, holder, 'sale', { placeIds: again })).outcome).toBe('done');
    expect(await availabilityOf(catalog, show)).toMatchObject({ free: 0, sold: PLACES });
  });
});
