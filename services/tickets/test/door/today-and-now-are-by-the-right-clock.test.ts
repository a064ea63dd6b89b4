import { describe, expect, test } from '@jest/globals';
import { importDoorModule } from './phones.ts';

const { groupByDay, windowFrom } = await importDoorModule('today.js');

// `localStart` as the server says it: Zurich is an hour ahead of UTC, Tokyo nine.
describe('today is by the clock of the venue', () => {
  const at = (startDate: string, localStart: string, type = 'show') => ({ startDate, localStart, type });
  const EXHIBITION = at('2027-01-14T09:00:00.000Z', '2027-01-14T10:00');
  const PASS = at('2027-01-01T00:00:00.000Z', '2027-01-01T01:00', 'pass');
  const MATINEE = at('2027-03-14T13:00:00.000Z', '2027-03-14T14:00');
  const EVENING = at('2027-03-14T18:30:00.000Z', '2027-03-14T19:30');
  const LATE = at('2027-03-14T23:30:00.000Z', '2027-03-15T00:30');
  const TOMORROW = at('2027-03-15T18:30:00.000Z', '2027-03-15T19:30');
  const DAY_AFTER = at('2027-03-16T18:30:00.000Z', '2027-03-16T19:30');
  const TOKYO = at('2027-03-14T21:30:00.000Z', '2027-03-15T06:30');
  // What is over is not in the server's list.
  const all = [PASS, EXHIBITION, MATINEE, EVENING, LATE, TOMORROW, DAY_AFTER];

  test.each([
    ['in the afternoon', '2027-03-14T12:00:00.000Z', all, [EXHIBITION, MATINEE, EVENING, LATE], [TOMORROW]],
    ['after midnight', '2027-03-15T01:00:00.000Z', all.slice(4), [LATE], [TOMORROW]],
    ['from six in the morning it is the next day', '2027-03-15T05:30:00.000Z', all.slice(5), [TOMORROW], [DAY_AFTER]],
  ])('%s', (_, now, listed, today, tomorrow) => {
    expect(groupByDay(listed, Date.parse(now))).toMatchObject({ today, tomorrow });
  });

  test('passes and the like are a group of their own', () => {
    expect(groupByDay(all, Date.parse('2027-03-14T12:00:00.000Z')).passes).toEqual([PASS]);
  });

  test('each venue has its own clock', () => {
    // In Tokyo it is four in the morning of the 15th.
    const { today, tomorrow } = groupByDay([EVENING, TOKYO], Date.parse('2027-03-14T19:00:00.000Z'));
    expect([today, tomorrow]).toEqual([[EVENING], [TOKYO]]);
  });

  test('the query reaches over both days in every time zone', () => {
    const { from, to } = windowFrom(Date.parse('2027-03-14T12:00:00.000Z'));
    expect(from).toBe('2027-03-14T12:00:00.000Z');
    expect(to >= '2027-03-16T06:00:00.000Z').toBe(true);
  });
});

const { createLink } = await importDoorModule('link.js');

describe('slow answers do not set the clock', () => {
  const NOON = Date.parse('2027-03-14T12:00:00.000Z');

  /** A phone whose clock differs so much from that of the server; `takes`: milliseconds to the server and back. */
  const openPhone = (difference: number) => {
    let time = NOON;
    const kept = new Map<string, string>();
    let takes: readonly [number, number] = [0, 0];
    const link = createLink({
      clock: () => time + difference,
      storage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
      },
      onChange: () => undefined,
      async send() {
        const [there, back] = takes;
        time += there;
        // The time of an answer is of whole seconds.
        const headers = { Date: new Date(time).toUTCString() };
        time += back;
        return Response.json({ data: {} }, { headers });
      },
    });
    return {
      kept,
      /** How far the time of the link is from that of the server after an exchange. */
      async wrongAfter(...exchange: [number, number]): Promise<number> {
        takes = exchange;
        await link.get('/svc/v3/tickets/statuses');
        return link.now() - time;
      },
    };
  };

  test.each([
    [0, 19_000],
    [19_000, 0],
    [6_600, 0],
    [0, 7_500],
  ])('a clock that is right stays so after an answer that takes %d ms there and %d ms back', async (...exchange) => {
    const phone = openPhone(0);
    expect(await phone.wrongAfter(...exchange)).toBe(0);
    expect(phone.kept.size).toBe(0);
  });

  test.each([-3_600_000, -20_000, 20_000, 3_600_000])('a clock that is wrong by %d ms is set', async (difference) => {
    const phone = openPhone(difference);
    expect(Math.abs(await phone.wrongAfter(100, 100))).toBeLessThan(1_000);
    // A slow answer, or one in time, leaves it as it was set.
    const [slow, quick] = [await phone.wrongAfter(19_000, 0), await phone.wrongAfter(0, 100)];
    expect([Math.abs(slow) < 1_000, quick]).toEqual([true, slow]);
  });

  test('a slow answer sets one that is wrong by more than it can be late', async () => {
    const phone = openPhone(3_600_000);
    expect(Math.abs(await phone.wrongAfter(19_000, 0))).toBeLessThan(11_000);
    // The next one, in time, says it more exactly.
    expect(Math.abs(await phone.wrongAfter(0, 100))).toBeLessThan(1_000);
  });
});

test('a list is read to its last page', async () => {
  const entries = Array.from({ length: 1_241 }, (_, at) => `prf_${at}`);
  const link = createLink({
    storage: { getItem: () => null, setItem: () => undefined },
    onChange: () => undefined,
    async send(path: string) {
      const query = new URL(path, 'https://tickets.example').searchParams;
      const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
      const nextCursor = from + limit < entries.length ? `${from + limit}` : null;
      return Response.json({ data: { items: entries.slice(from, from + limit), nextCursor } });
    },
  });
  expect(await link.getAll('/svc/v3/catalog/programme', { from: 'now' })).toEqual(entries);
});
