import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, text } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { afterAll, describe, expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import { mailsCollection } from '../../src/store.ts';
import { waitUntil } from '../fixture/fixture.ts';
import { importShopModule } from '../shop/fixture.ts';
import { announce, endPauses, openMailing, type Received, readCalendars, readText, sell } from './fixture.ts';

const mailFrom = { name: 'Opera "Grande"', address: 'box+office@opera.example' };
const fixture = useFixture(() => openMailing({ mailFrom }));

/** The mails to an address, once all are sent; the pause of those about moves is over. */
const sentTo = async (address: string): Promise<readonly Received[]> => {
  await endPauses(fixture);
  const mails = fixture.store.collection(mailsCollection).of('opera');
  await waitUntil(async () => (await mails.count({ state: 'waiting' })) === 0);
  return fixture.server.received.filter(({ to }) => to === address);
};

const first = '2031-05-01T18:30:00.000Z';
const second = '2031-05-03T19:00:00.000Z';

/** An order of two shows of which one has moved after the purchase; the catalogue and its ticket know. */
const sellAndMove = async () => {
  const email = `${randomUUID()}@example.org`;
  const show = fixture.catalog.show({ startDate: first });
  const { performanceId, seatCategoryId } = show;
  const { id, order } = await sell(fixture, { email, itemCount: 2, first: { performanceId, seatCategoryId } });
  const tell = (type: string, more: object = {}) => announce(fixture, id, type, more);
  await tell('order.confirmed');
  const [confirmation] = await sentTo(email);
  const venue = { name: 'Open air', city: 'Basel' };
  for (const performance of show.product.performances) Object.assign(performance, { startDate: second, venue });
  fixture.catalog.touch(show);
  /** Its tickets and its buyer get to know of it. */
  const move = async (version: number): Promise<Received> => {
    for (const ticket of fixture.tickets.tickets.values())
      if (ticket.performanceId === performanceId) Object.assign(ticket, { startDate: second });
    const data = { performanceId, startDate: second, timeZone: 'Europe/Zurich', venue };
    await fixture.deliver('performance.moved', data, version);
    return (await sentTo(email))[1] as Received;
  };
  return { email, id, order, performanceId, tell, move, confirmation: confirmation as Received };
};

/** As another implementation reads it. */
const read = (file: string) => {
  const whole = new ICAL.Component(ICAL.parse(file));
  return whole.getAllSubcomponents('vevent').map((component) => {
    const { uid, startDate, sequence, location } = new ICAL.Event(component);
    const organiser = component.getFirstProperty('organizer');
    return {
      method: whole.getFirstPropertyValue('method'),
      uid,
      start: startDate.toJSDate().toISOString(),
      sequence: Number(sequence),
      location,
      status: component.getFirstPropertyValue('status'),
      organiser: [organiser?.getParameter('cn'), organiser?.getFirstValue()],
    };
  });
};
const eventOf = (mail: Received | undefined, performanceId: string) => {
  const all = readCalendars(mail as Received).flatMap(({ text: file, method }) =>
    read(file).map((event) => ({ ...event, type: method })),
  );
  return all.find(({ uid }) => uid.includes(performanceId));
};

describe('a show that moved after the purchase', () => {
  test('is dated as now in the mails about the move, the refund and the cancellation, and in their calendars', async () => {
    const { email, id, order, performanceId, tell, move, confirmation } = await sellAndMove();
    const moved = await move(7);
    const data = { orderId: id, amount: 4_500, currency: 'CHF' };
    await tell('refund.recorded', { resource: { type: 'refund', id: 'ref_1' }, data });
    const refund = (await sentTo(email))[2] as Received;
    Object.assign(order, { state: 'cancelled', version: 2 });
    await tell('order.cancelled');
    const cancelled = (await sentTo(email))[3] as Received;

    expect(readText(confirmation)).toMatch(/^Jeudi 1 mai 2031.*20:30, Main hall/m);
    for (const mail of [moved, refund, cancelled]) {
      expect(readText(mail)).toMatch(/^Samedi 3 mai 2031.*21:00, Open air, Basel/m);
      // The other show of the order stays where it was.
      expect(readText(mail)).toMatch(/^Jeudi 1 mai 2031.*20:30, Main hall/m);
    }
    const [before, after, end] = [confirmation, moved, cancelled].map((mail) => eventOf(mail, performanceId));
    const organiser = ["Opera 'Grande'", 'mailto:box%2Boffice@opera.example'];
    expect(before).toMatchObject({
      type: 'PUBLISH',
      status: 'CONFIRMED',
      start: first,
      location: 'Main hall',
      organiser,
    });
    expect(after).toMatchObject({ type: 'PUBLISH', status: 'CONFIRMED', start: second, uid: before?.uid, organiser });
    expect(after?.location).toBe('Open air, Basel');
    expect(end).toMatchObject({ type: 'CANCEL', method: 'CANCEL', status: 'CANCELLED', start: second, organiser });
    expect(end?.uid).toBe(before?.uid);
    const sequences = [before, after, end].map((event) => Number(event?.sequence));
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    expect(new Set(sequences).size).toBe(3);
    expect(readCalendars(refund)).toEqual([]);
    // One file cancels one event (RFC 5546, 3.2.5).
    expect(readCalendars(cancelled).map(({ text: file }) => read(file).length)).toEqual([1, 1]);
  });

  test('is dated by its ticket once the catalogue publishes it no more', async () => {
    const { email, order, performanceId, tell } = await sellAndMove();
    for (const line of order.lines.filter((one) => one.performanceId === performanceId)) {
      const gone = { performanceId: 'prf_gone' };
      Object.assign(line, gone);
      Object.assign(fixture.tickets.tickets.get(line.ticketId ?? '') ?? {}, { ...gone, startDate: second });
    }
    Object.assign(order, { state: 'cancelled', version: 2 });
    await tell('order.cancelled');
    const cancelled = (await sentTo(email))[1] as Received;
    expect(readText(cancelled)).toMatch(/^Samedi 3 mai 2031.*21:00/m);
    expect(eventOf(cancelled, 'prf_gone')).toMatchObject({ start: second });
  });
});

// Where ical4j and what it needs are; `npm test` says if they are not.
const { directory } = readSettings({ directory: text('TEST_ICAL4J', { optional: true }) });

if (directory === undefined) test.skip('not exercised: no ical4j; TEST_ICAL4J names the folder of its files', () => {});
else
  describe('ical4j', () => {
    const program = new URL('ical4j/Validate.java', import.meta.url).pathname;
    const folder = mkdtempSync(join(tmpdir(), 'boxoffice-calendars-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    /** What it says about each of these files. */
    const faultsOf = (files: readonly string[]): string[] => {
      const names = files.map((_, index) => `${index}.ics`);
      for (const [index, file] of files.entries()) writeFileSync(join(folder, `${index}.ics`), file);
      const paths = names.map((name) => join(folder, name));
      const { status, stdout, stderr } = spawnSync('java', ['-cp', `${directory}/*`, program, ...paths], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      const lines = stdout.split('\n');
      return names.map((name) => lines.filter((line) => line.startsWith(`${name} `)).join('\n'));
    };

    test('finds nothing wrong with any kind of calendar file, by its method', async () => {
      const { email, order, tell, move, confirmation } = await sellAndMove();
      const moved = await move(9);
      Object.assign(order, { state: 'cancelled', performanceCancelled: true, version: 2 });
      await tell('order.cancelled');
      const cancelled = (await sentTo(email))[2] as Received;
      const ofPages = await importShopModule('calendar.js');
      const page: string = ofPages.calendarOf(
        [
          {
            uid: ofPages.eventUid('ord_1', 'prf_1', 'tickets.opera.example'),
            startDate: first,
            durationMinutes: null,
            summary: 'Pièce, «le soir»; x',
            location: '',
            description: 'Parterre\nNuméro k7m2p9qx',
          },
        ],
        { writtenAt: Date.now(), organiser: { name: '', address: 'tickets@opera.example' }, sequence: 12 },
      );
      const files = [confirmation, moved, cancelled].flatMap((mail) => readCalendars(mail).map((one) => one.text));
      expect(files).toHaveLength(4);
      // The last two have planted faults: it can find something.
      const noOrganiser = page.replace(/ORGANIZER.*\r\n/, '');
      const noSequence = String(files.at(-1)).replace(/SEQUENCE.*\r\n/, '');
      const found = faultsOf([...files, page, noOrganiser, noSequence]);
      expect(found).toEqual([
        ...[...files, page].map(() => ''),
        expect.stringContaining('ORGANIZER'),
        expect.stringContaining('SEQUENCE'),
      ]);
    });
  });
