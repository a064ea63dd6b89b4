import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { importShopModule } from './fixture.ts';

const { calendarOf, eventUid, sequenceAt } = await importShopModule('calendar.js');

const organiser = { name: 'The "Opera"', address: 'tickets+a@opera.example' };
const its = { writtenAt: Date.parse('2026-11-20T16:05:12.345Z'), organiser, sequence: 0 };
const tosca = {
  uid: eventUid('ord_1', 'prf_1', 'tickets.opera.example'),
  startDate: '2027-03-12T20:00:00.000+01:00',
  durationMinutes: 150,
  summary: 'Tosca',
  location: 'Grande salle, Genève',
  description: 'Parterre: A-1; A-2\nCommande k7m2p9qx',
  url: 'https://tickets.example/shop/tickets.opera.example/ticket-link#t',
};

/** The events of a file, read by another implementation. */
const read = (file: string) =>
  new ICAL.Component(ICAL.parse(file)).getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));

test('a file has one event per performance, in UTC, with CRLF after each line', () => {
  expect(calendarOf([tosca], its).split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//boxoffice//point of sale//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    'UID:ord_1.prf_1@tickets.opera.example',
    'DTSTAMP:20261120T160512Z',
    `ORGANIZER;CN="The 'Opera'":mailto:tickets%2Ba@opera.example`,
    'SEQUENCE:0',
    'DTSTART:20270312T190000Z',
    'DTEND:20270312T213000Z',
    'SUMMARY:Tosca',
    String.raw`LOCATION:Grande salle\, Genève`,
    String.raw`DESCRIPTION:Parterre: A-1\; A-2\nCommande k7m2p9qx`,
    'URL:https://tickets.example/shop/tickets.opera.example/ticket-link#t',
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

test('without a known duration an event has no end; a cancelled one says so', () => {
  const text: string = calendarOf([{ ...tosca, durationMinutes: null }], { ...its, isCancelled: true, sequence: 3 });
  expect(text).toContain('\r\nMETHOD:CANCEL\r\n');
  const [event] = read(text);
  expect(event?.component.hasProperty('dtend')).toBe(false);
  expect([event?.component.getFirstPropertyValue('status'), event?.sequence]).toEqual(['CANCELLED', 3]);
});

test('the sequence grows with the time, and within a second from the confirmation over a move to the cancellation', () => {
  const order = { createdAt: '2026-11-20T16:05:12.345Z' };
  const at = (seconds: number) => Date.parse(order.createdAt) + seconds * 1_000;
  const all = [
    sequenceAt(order, at(0)),
    sequenceAt(order, at(0), 'moved'),
    sequenceAt(order, at(0), 'cancelled'),
    sequenceAt(order, at(1), 'confirmation'),
    sequenceAt(order, at(2), 'moved'),
    // Six years later, it still is a 32-bit integer.
    sequenceAt(order, at(200_000_000), 'cancelled'),
  ];
  expect(all).toEqual(all.toSorted((one, other) => one - other));
  expect(new Set(all).size).toBe(all.length);
  expect(all[0]).toBe(0);
  expect(Math.max(...all)).toBeLessThan(2 ** 31);
});

describe('any text', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

  test('is read back as it was, and no line is longer than 75 octets', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (summary, location, description) => {
        const file = calendarOf([{ ...tosca, summary, location, description }], its);
        const tooLong = file.split('\r\n').filter((line: string) => Buffer.byteLength(line) > 75);
        const [event] = read(file);
        expect(tooLong).toEqual([]);
        expect([event?.summary, event?.location ?? '', event?.description ?? '']).toEqual([
          summary,
          location,
          description,
        ]);
      }),
    );
  });

  test.each(['a\r\nEND:VEVENT', 'a\nATTACH:x', 'a\rb', '\\n', 'a\u0007b\u007f'])('%j adds no line', (summary) => {
    const lines = calendarOf([{ ...tosca, summary }], its).split(/\r\n|\r|\n/);
    expect(lines).toHaveLength(calendarOf([tosca], its).split('\r\n').length);
    expect(read(calendarOf([{ ...tosca, summary }], its))).toHaveLength(1);
  });

  test('negative control: the other implementation does not unfold a line that is broken without its space', () => {
    const file = calendarOf([{ ...tosca, summary: 'x'.repeat(200) }], its).replaceAll('\r\n x', '\r\nx');
    expect(() => read(file)).toThrow();
  });
});

test('the id of an event is that of its order and performance', () => {
  const ids = [
    eventUid('ord_1', 'prf_1', 'a.example'),
    eventUid('ord_1', 'prf_2', 'a.example'),
    eventUid('ord_2', 'prf_1', 'a.example'),
  ];
  expect(new Set(ids).size).toBe(3);
  expect(eventUid('ord_1', 'prf_1', 'a.example')).toBe(ids[0]);
});
