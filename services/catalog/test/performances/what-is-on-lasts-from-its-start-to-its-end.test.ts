import { beforeAll, describe, expect, test } from '@jest/globals';
import { clocks } from '../../src/clocks.ts';
import { computeEnd } from '../../src/domain/what-is-on.ts';
import {
  buildPerformanceBody,
  createProduct,
  createStalls,
  createTariff,
  describeOnEachEngine,
  readAllPages,
} from '../fixture/service.ts';

describe('a performance lasts from its start to its end', () => {
  const at = (startDate: string, timeZone: string, durationMinutes: number | null = null) => ({
    ...{ startDate, timeZone, durationMinutes },
  });
  const show = { type: 'show', endDate: null } as const;

  test.each([
    ['its duration', at('2027-03-14T18:30:00.000Z', 'Europe/Zurich', 165), show, '2027-03-14T21:15:00.000Z'],
    [
      'its duration, although the product has an end',
      at('2027-03-14T18:30:00.000Z', 'Europe/Zurich', 165),
      { ...show, endDate: '2027-04-30T00:00:00.000Z' },
      '2027-03-14T21:15:00.000Z',
    ],
    [
      'the end of its product',
      at('2027-03-14T09:00:00.000Z', 'Europe/Zurich'),
      { ...show, endDate: '2027-05-30T16:00:00.000Z' },
      '2027-05-30T16:00:00.000Z',
    ],
    ['six the next morning', at('2027-03-14T13:00:00.000Z', 'Europe/Zurich'), show, '2027-03-15T05:00:00.000Z'],
    ['that of the local day', at('2027-03-14T23:30:00.000Z', 'Europe/Zurich'), show, '2027-03-16T05:00:00.000Z'],
    ['by the clock after a change', at('2027-03-27T18:00:00.000Z', 'Europe/Zurich'), show, '2027-03-28T04:00:00.000Z'],
    ['in New York', at('2027-01-01T00:30:00.000Z', 'America/New_York'), show, '2027-01-01T11:00:00.000Z'],
    ['in Tokyo', at('2026-12-31T21:30:00.000Z', 'Asia/Tokyo'), show, '2027-01-01T21:00:00.000Z'],
  ] as const)('%s', (_, performance, product, end) => {
    expect(new Date(computeEnd(performance, product, clocks)).toISOString()).toBe(end);
  });

  test('a pass without an end has none', () => {
    const year = at('2027-01-01T00:00:00.000Z', 'Europe/Zurich');
    expect(computeEnd(year, { type: 'pass', endDate: null }, clocks)).toBe(Number.POSITIVE_INFINITY);
  });
});

describeOnEachEngine('what is on', (catalog) => {
  interface Event {
    readonly id: string;
    readonly name: { readonly en: string };
    readonly localStart: string;
    readonly localEnd: string | null;
    readonly endDate: string | null;
  }

  /** In 2031 Zurich is two hours ahead of UTC in May. */
  const put = async (en: string, starts: readonly string[], length: object = {}, more: object = {}): Promise<void> => {
    const { id } = await createTariff(catalog);
    const performances = starts.map((startDate) =>
      buildPerformanceBody(id, [createStalls(5)], { startDate, ...length }),
    );
    const { status } = await createProduct(catalog, { name: { en }, performances, ...more });
    expect(status).toBe(201);
  };

  const list = (query: string, limit = 500) =>
    readAllPages<Event>(catalog, `/svc/v3/catalog/programme?limit=${limit}&${query}`);
  const names = async (query: string, limit?: number) => (await list(query, limit)).map(({ name }) => name.en);

  beforeAll(async () => {
    await put('Exhibition', ['2031-02-01T09:00:00Z'], {}, { endDate: '2031-06-30T16:00:00Z' });
    await put('Festival', ['2031-05-08T10:00:00Z'], { durationMinutes: 4 * 1_440 });
    await put('Day pass', ['2031-05-09T22:00:00Z'], {}, { type: 'pass', endDate: '2031-05-10T22:00:00Z' });
    await put('Membership', ['2031-01-01T00:00:00Z'], {}, { type: 'membership' });
    await put('Former pass', ['2031-01-01T00:00:00Z'], {}, { type: 'pass', endDate: '2031-02-01T00:00:00Z' });
    await put('Former festival', ['2031-03-01T00:00:00Z'], { durationMinutes: 4 * 1_440 });
    await put('Late night', ['2031-05-09T21:30:00Z']);
    await put('Matinee', ['2031-05-10T09:00:00Z'], { durationMinutes: 90 });
    await put('Concert', ['2031-05-10T17:30:00Z', '2031-05-11T17:30:00Z'], { durationMinutes: 150 });
    const entries = Array.from({ length: 12 }, (_, at) => `2031-05-10T${String(at + 8).padStart(2, '0')}:00:00Z`);
    await put('Timed entry', entries, { durationMinutes: 60 });
    await put('Called off', ['2031-05-10T16:00:00Z'], { durationMinutes: 60 });
    const called = (await list('from=2031-05-10T16:00:00Z')).find(({ name }) => name.en === 'Called off');
    const body = { state: 'cancelled' };
    expect((await catalog.call('PATCH', `/svc/v3/catalog/performances/${called?.id}`, { body })).status).toBe(200);
  });

  test('a second day, an exhibition and passes are, what is over is not', async () => {
    expect(await names('from=2031-05-10T18:30:00Z')).toEqual([
      ...['Membership', 'Exhibition', 'Festival', 'Day pass', 'Concert', 'Timed entry'],
    ]);
    expect(await names('from=2031-05-10T03:59:59Z')).toContain('Late night');
    expect(await names('from=2031-05-10T04:00:00Z')).not.toContain('Late night');
    expect(await names('from=2031-05-10T10:29:59Z')).toContain('Matinee');
    expect(await names('from=2031-05-10T10:30:00Z')).not.toContain('Matinee');
    expect(await names('from=2031-05-12T10:00:00Z')).not.toContain('Festival');
    expect(await names('from=2031-06-30T15:59:59Z')).toContain('Exhibition');
    expect(await names('from=2031-06-30T16:00:00Z')).toEqual(['Membership']);
  });

  test('of a day all is listed, page by page, without a cancelled performance', async () => {
    const day = 'from=2031-05-10T06:00:00Z&to=2031-05-11T04:00:00Z';
    const all = await names(day);
    expect(all).toHaveLength(4 + 1 + 12 + 1);
    expect(all.filter((name) => name === 'Timed entry')).toHaveLength(12);
    expect(all.slice(-3)).toContain('Concert');
    expect(all).not.toContain('Called off');
    for (const limit of [1, 2, 3, 5]) expect(await names(day, limit)).toEqual(all);
    expect(await names('from=2031-05-11T06:00:00Z&to=2031-05-12T04:00:00Z')).toEqual([
      ...['Membership', 'Exhibition', 'Festival', 'Concert'],
    ]);
  });

  test('a start in the hour that comes twice names its offset, by the zone data of the product', async () => {
    await put('Again', ['2031-10-26T01:30:00Z'], { durationMinutes: 10 });
    await put('Winnipeg', ['2030-12-12T00:30:00Z'], { durationMinutes: 10, timeZone: 'America/Winnipeg' });
    const start = async (at: string) => (await list(`from=${at}`)).find(({ name }) => /^[AW]/.test(name.en));
    expect(await start('2031-10-26T01:30:00Z')).toMatchObject({ localStart: '2031-10-26T02:30', startOffset: 'GMT+1' });
    expect(await start('2030-12-12T00:30:00Z')).toMatchObject({ localStart: '2030-12-11T19:30', startOffset: null });
  });

  test('each with start and end by the clock of the venue', async () => {
    const [membership, exhibition, festival] = await list('from=2031-05-10T18:30:00Z');
    expect([membership?.endDate, membership?.localEnd]).toEqual([null, null]);
    expect([exhibition?.localStart, exhibition?.localEnd]).toEqual(['2031-02-01T10:00', '2031-06-30T18:00']);
    expect([festival?.localStart, festival?.localEnd]).toEqual(['2031-05-08T12:00', '2031-05-12T12:00']);
  });
});
