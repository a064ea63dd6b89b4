import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/current-facts.ts';
import { newShow, stalls } from '../fixture/data.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

describe('a performance that moves', () => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog();
  });
  afterAll(() => catalog.close());

  const patch = async (id: string, body: object) => {
    const { status } = await catalog.call('PATCH', `/svc/v3/catalog/performances/${id}`, { body });
    expect(status).toBe(200);
  };
  const movesOf = async (id: string) =>
    (await catalog.store.outbox.pending(1_000)).filter(({ key, type }) => key === id && type === 'performance.moved');

  test('to another time, time zone or venue is published, in the order of its versions; nothing else is', async () => {
    const { performance } = await newShow(catalog, stalls(4));
    const { id, startDate, timeZone } = performance;
    const steps = [
      { startDate: '2031-06-01T18:30:00.000Z' },
      { durationMinutes: 90, salesTo: '2031-05-31T18:30:00.000Z' },
      { state: 'closed' },
      { timeZone: 'Europe/Athens', seatCategories: [{ id: performance.seatCategories[0]?.id, capacity: 6 }] },
      { venue: { city: 'Genève' } },
      { venue: { city: 'Genève' } },
      { startDate, timeZone, venue: { city: null } },
    ];
    for (const step of steps) await patch(id, step);
    const moves = await movesOf(id);
    const hall = { name: 'Main hall', city: null };
    expect(moves.map(({ data }) => data)).toEqual([
      { performanceId: id, startDate: '2031-06-01T18:30:00.000Z', timeZone, venue: hall },
      { performanceId: id, startDate: '2031-06-01T18:30:00.000Z', timeZone: 'Europe/Athens', venue: hall },
      {
        performanceId: id,
        startDate: '2031-06-01T18:30:00.000Z',
        timeZone: 'Europe/Athens',
        venue: { ...hall, city: 'Genève' },
      },
      { performanceId: id, startDate, timeZone, venue: hall },
    ]);
    const versions = moves.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  });

  test('is published again after a restore, and one that never moved is not', async () => {
    const [moved, other] = [await newShow(catalog, stalls(1)), await newShow(catalog, stalls(1))];
    await patch(moved.performance.id, { venue: { name: 'Odeon' } });
    await patch(other.performance.id, { durationMinutes: 60 });
    const again = new Map<string, object>();
    for await (const { type, key, data } of currentFacts.read(catalog.store))
      if (type === 'performance.moved') again.set(key, data);
    expect(again.get(moved.performance.id)).toMatchObject({ venue: { name: 'Odeon', city: null } });
    expect(again.has(other.performance.id)).toBe(false);
  });
});
