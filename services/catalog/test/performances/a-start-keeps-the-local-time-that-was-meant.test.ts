import { beforeEach, expect, test } from '@jest/globals';
import { clocks } from '../../src/clocks.ts';
import { ensureMeantStart } from '../../src/domain/clocks.ts';
import { keepInstant, keepLocalTime, listMovedLocalTimes } from '../../src/performances/local-times.ts';
import { type PerformanceDocument, performances } from '../../src/store.ts';
import {
  buildPerformanceBody,
  createProduct,
  createStalls,
  createTariff,
  describeOnEachEngine,
  type Performance,
} from '../fixture/service.ts';

const startDate = '2030-12-12T00:30:00.000Z';
const timeZone = 'America/Winnipeg';

describeOnEachEngine('a start keeps the local time that was meant', (catalog) => {
  let id: string;
  beforeEach(async () => {
    const { id: tariffId } = await createTariff(catalog);
    const body = buildPerformanceBody(tariffId, [createStalls(2)], { startDate, timeZone });
    const { data } = await createProduct(catalog, { performances: [body] });
    id = String(data.performances[0]?.id);
  });

  const documents = () => catalog.store.collection(performances).of(catalog.institution);
  const meant = async () => (await documents().get(id))?.meantStart;
  const shown = async () => (await catalog.call<Performance>('GET', `/svc/v3/catalog/performances/${id}`)).data;
  const patch = (body: object) => catalog.call('PATCH', `/svc/v3/catalog/performances/${id}`, { body });
  const moved = async () =>
    (await listMovedLocalTimes(catalog.store, { institution: catalog.institution })).filter(
      (one) => one.performance === id,
    );
  /** As if it had been entered while Winnipeg set its clocks back in winter. */
  const enterBefore = () =>
    documents().update(id, (current) => {
      const before = { time: '2030-12-11T18:30:00', release: '2026c', startDate, timeZone };
      return { next: { ...current, meantStart: before } };
    });
  /** The facts about it that wait to be published. */
  const facts = async () =>
    (await catalog.store.outbox.pending(1_000)).filter(({ key }) => key === id).map(({ type }) => type);

  test('it is stored with the release of the zone data, and anew with another start or zone', async () => {
    const { release } = clocks;
    expect(await meant()).toEqual({ time: '2030-12-11T19:30:00', release, startDate, timeZone });
    const later = '2030-12-13T01:00:00.000Z';
    await patch({ startDate: later });
    expect(await meant()).toEqual({ time: '2030-12-12T20:00:00', release, startDate: later, timeZone });
    await patch({ timeZone: 'Asia/Tokyo', durationMinutes: 90 });
    expect(await meant()).toMatchObject({ time: '2030-12-13T10:00:00', timeZone: 'Asia/Tokyo' });
    expect(await moved()).toEqual([]);
  });

  test('with newer zone data the start is listed, and moves to the time that was meant, with one event each', async () => {
    await enterBefore();
    expect(await moved()).toEqual([
      {
        ...{ institution: catalog.institution, performance: id, startDate, timeZone },
        ...{ meant: '2030-12-11T18:30:00', meantBy: '2026c', shown: '2030-12-11T19:30:00' },
      },
    ]);
    const before = await facts();
    const kept = '2030-12-11T23:30:00.000Z';
    const all = await Promise.all(
      [1, 2].map(() => keepLocalTime(catalog.store, { institution: catalog.institution, performance: id })),
    );
    expect(all).toContain(kept);
    expect((await facts()).slice(before.length).toSorted()).toEqual(['performance.moved', 'performance.recorded']);
    expect(await shown()).toMatchObject({ startDate: kept, timeZone });
    expect(await moved()).toEqual([]);
  });

  test('or its instant stays, and the time that clocks show then is meant from now on, without an event', async () => {
    await enterBefore();
    const before = await facts();
    await keepInstant(catalog.store, { institution: catalog.institution, performance: id });
    expect([await moved(), await facts(), (await shown()).startDate]).toEqual([[], before, startDate]);
    expect(await meant()).toMatchObject({ time: '2030-12-11T19:30:00' });
  });

  test('a cancelled one, and one of the past, are not listed', async () => {
    await enterBefore();
    const now = () => Date.parse('2030-12-12T00:30:00.000Z');
    expect(await listMovedLocalTimes(catalog.store, { institution: catalog.institution, now })).toEqual([]);
    await patch({ state: 'cancelled' });
    expect(await moved()).toEqual([]);
  });
});

test('a start of an earlier release, or changed by one, is meant as clocks show it', () => {
  const stored: Pick<PerformanceDocument, 'startDate' | 'timeZone' | 'meantStart'> = { startDate, timeZone };
  const read = ensureMeantStart(stored, clocks);
  expect(read.meantStart).toMatchObject({ time: '2030-12-11T19:30:00' });
  expect(ensureMeantStart(read, clocks)).toBe(read);
  const changed = ensureMeantStart({ ...read, startDate: '2030-12-13T01:00:00.000Z' }, clocks);
  expect(changed.meantStart).toMatchObject({ time: '2030-12-12T20:00:00' });
});
