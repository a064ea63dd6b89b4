import { describe, expect, test } from '@jest/globals';
import {
  computeOffset,
  findIanaName,
  formatDateAndTime,
  formatLocalDay,
  formatLocalTime,
  formatRepeatedOffset,
  parseWallTime,
  timeZoneNames,
  timeZoneRelease,
} from '../../src/locale/local-time.ts';

describe('the time that the clocks of a place show', () => {
  test.each([
    ['America/New_York', '2027-01-01T00:30:00.000Z', '2026-12-31T19:30:00-05:00'],
    ['Asia/Tokyo', '2026-12-31T15:00:00.000Z', '2027-01-01T00:00:00+09:00'],
    ['Asia/Kathmandu', '2027-03-01T12:00:00.000Z', '2027-03-01T17:45:00+05:45'],
    ['UTC', '2027-03-01T12:00:00.000Z', '2027-03-01T12:00:00+00:00'],
    // Rules of 2026, which a runtime may not have yet.
    ['America/Winnipeg', '2026-12-12T00:30:00.000Z', '2026-12-11T19:30:00-05:00'],
    ['America/Inuvik', '2026-12-12T01:30:00.000Z', '2026-12-11T19:30:00-06:00'],
    ['America/Havana', '2026-12-12T00:30:00.000Z', '2026-12-11T20:30:00-04:00'],
  ])('in %s at %s it is %s', (timeZone, instant, local) => {
    expect(formatLocalTime(instant, timeZone)).toBe(local);
    expect(formatLocalDay(instant, timeZone)).toBe(local.slice(0, 10));
  });

  test('is UTC where the zone is unknown, and a date says so', () => {
    expect(formatLocalTime('2027-03-01T12:00:00.000Z', 'Mars/Olympus')).toBe('2027-03-01T12:00:00+00:00');
    for (const zone of ['Mars/Olympus', undefined])
      expect(formatDateAndTime('en-GB', '2027-03-01T12:00:00.000Z', zone)).toBe('Monday, 1 March 2027 at 12:00 UTC');
    expect(formatDateAndTime('en-GB', '2027-03-01T12:00:00.000Z', 'UTC')).toBe('Monday, 1 March 2027 at 12:00');
  });

  test('after the end of the data follows the last rules', () => {
    for (const timeZone of ['Europe/Zurich', 'America/New_York', 'Australia/Sydney', 'Asia/Tokyo']) {
      const zoned = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
      for (let at = Date.UTC(2036, 0, 1); at < Date.UTC(2066, 0, 1); at += 86_400_000) {
        const parts = zoned.formatToParts(at).find(({ type }) => type === 'timeZoneName');
        const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(parts?.value ?? '') ?? [];
        const expected = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
        if (computeOffset(at, timeZone) !== expected)
          expect([timeZone, new Date(at).toISOString(), computeOffset(at, timeZone)]).toEqual([expected]);
      }
    }
  });
});

describe('a time that comes twice', () => {
  test.each([
    ['en-GB', 'Europe/Zurich', '2026-10-25T00:30:00.000Z', 'GMT+2'],
    ['fr-CH', 'Europe/Zurich', '2026-10-25T01:30:00.000Z', 'UTC+1'],
    ['en-GB', 'Australia/Lord_Howe', '2027-04-03T14:45:00.000Z', 'GMT+11'],
    ['en-GB', 'Antarctica/Troll', '2026-10-25T00:30:00.000Z', 'GMT+2'],
  ])('names its offset: in %s in %s at %s it is %s', (locale, timeZone, instant, name) => {
    expect(formatRepeatedOffset(locale, instant, timeZone)).toBe(name);
    expect(formatDateAndTime(locale, instant, timeZone)).toMatch(new RegExp(`\\(${name.replace('+', '\\+')}\\)$`));
  });

  test.each(['2026-10-24T23:59:00.000Z', '2026-10-25T02:00:00.000Z', '2027-03-28T01:30:00.000Z'])(
    'is no other one: at %s',
    (instant) => {
      expect(formatRepeatedOffset('en', instant, 'Europe/Zurich')).toBeNull();
    },
  );
});

describe('the instant of a local time', () => {
  const NOON = Date.parse('2026-10-25T12:00:00Z');
  test.each([
    ['America/New_York', '2026-12-31T19:30:00', NOON, '2027-01-01T00:30:00.000Z'],
    // Comes twice: the one closer to the given instant.
    ['Europe/Zurich', '2026-10-25T02:30:00', 0, '2026-10-25T00:30:00.000Z'],
    ['Europe/Zurich', '2026-10-25T02:30:00', NOON, '2026-10-25T01:30:00.000Z'],
    // Is skipped: 03:30.
    ['Europe/Zurich', '2027-03-28T02:30:00', NOON, '2027-03-28T01:30:00.000Z'],
  ])('in %s of %s', (timeZone, wall, near, instant) => {
    expect(new Date(parseWallTime(wall, timeZone, near)).toISOString()).toBe(instant);
  });
});

describe('names of time zones', () => {
  test.each([
    ['europe/zurich', 'Europe/Zurich'],
    ['EUROPE/KYIV', 'Europe/Kyiv'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['us/pacific', 'US/Pacific'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['America/Coyhaique', 'America/Coyhaique'],
  ])('%s is %s', (given, name) => {
    expect(findIanaName(given)).toBe(name);
  });

  test.each(['BST', 'PST', '+01:00', 'Europe_Zurich', 'Factory', '', 'constructor'])('%s is none', (given) => {
    expect(findIanaName(given)).toBeUndefined();
  });

  test('are those of a release of the IANA database', () => {
    expect(timeZoneRelease).toMatch(/^20\d\d[a-z]$/);
    expect(timeZoneNames.length).toBeGreaterThan(590);
  });
});
