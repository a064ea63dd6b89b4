import { describe, expect, test } from '@jest/globals';
import { doorModule } from './phones.ts';

const { groupByDay, windowAround } = await doorModule('tonight.js');

describe('tonight is by the clock of the venue', () => {
  const at = (startDate: string, timeZone = 'Europe/Zurich', state = 'on_sale') => ({ startDate, timeZone, state });
  const MATINEE = at('2027-03-14T13:00:00.000Z');
  const EVENING = at('2027-03-14T18:30:00.000Z');
  const LATE = at('2027-03-14T23:30:00.000Z');
  const CANCELLED = at('2027-03-14T18:00:00.000Z', 'Europe/Zurich', 'cancelled');
  const TOMORROW = at('2027-03-15T18:30:00.000Z');
  const TOKYO = at('2027-03-14T21:30:00.000Z', 'Asia/Tokyo');
  const all = [TOMORROW, TOKYO, LATE, CANCELLED, EVENING, MATINEE, at('2027-03-13T18:30:00.000Z')];

  test.each([
    ['in the afternoon', '2027-03-14T12:00:00.000Z', [MATINEE, EVENING, LATE], [TOMORROW]],
    ['after midnight it is still the evening before', '2027-03-15T01:00:00.000Z', [MATINEE, EVENING, LATE], [TOMORROW]],
    ['from six in the morning it is the next day', '2027-03-15T05:30:00.000Z', [TOMORROW], []],
  ])('%s', (_, now, tonight, tomorrow) => {
    const { tonight: found, tomorrow: next } = groupByDay(all, Date.parse(now));
    expect(found.filter((one: object) => one !== TOKYO)).toEqual(tonight);
    expect(next.filter((one: object) => one !== TOKYO)).toEqual(tomorrow);
  });

  test('each venue has its own clock', () => {
    // In Tokyo it is 6:30 on the 15th.
    expect(groupByDay([TOKYO, EVENING], Date.parse('2027-03-14T19:00:00.000Z'))).toEqual({
      tonight: [EVENING],
      tomorrow: [TOKYO],
    });
  });

  test('the query reaches over both days in every time zone', () => {
    const now = Date.parse('2027-03-14T12:00:00.000Z');
    const { from, to } = windowAround(now);
    expect(from < '2027-03-13T15:00:00.000Z').toBe(true);
    expect(to > '2027-03-16T06:00:00.000Z').toBe(true);
  });
});

const { createLink } = await doorModule('link.js');

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
