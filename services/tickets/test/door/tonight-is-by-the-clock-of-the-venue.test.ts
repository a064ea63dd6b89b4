import { expect, test } from '@jest/globals';
import { doorModule } from './modules.ts';

const { groupByDay, windowAround } = await doorModule('tonight.js');

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
