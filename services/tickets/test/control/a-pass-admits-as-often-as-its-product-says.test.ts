import { describe, expect, test } from '@jest/globals';
import { findAdmittance } from '../../src/control/admittance.ts';
import type { Entries } from '../../src/domain/ticket.ts';
import { shopTicket } from '../../src/examples.ts';
import { describeOnEachEngine, PATH, waitUntilAfter } from '../fixture/service.ts';
import {
  addMembers,
  controlWith,
  createChange,
  createConfirmedOrder,
  createScanClock,
  issueAndPrint,
  listScans,
  scan,
  settle,
} from '../fixture/tickets.ts';

const DAY = 86_400_000;

/** A time zone in which it is noon, so that no day ends during a test. */
const NOON = ((ahead) => `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`)(12 - new Date().getUTCHours());

const about = { ...shopTicket.about, timeZone: 'Europe/Paris', productType: 'pass' };

/** An order for one pass, valid from yesterday for a month. */
const passOrder = (entries: Entries | undefined) => {
  const [startDate, validUntil] = [-1, 30].map((days) => new Date(Date.now() + days * DAY).toISOString());
  return addMembers(createConfirmedOrder(), {
    startDate,
    about: { ...about, timeZone: NOON, validUntil, ...(entries && { entries }) },
  });
};

describe('the day of a daily pass', () => {
  test("is that of the venue's clocks, wherever the performance has moved to", async () => {
    const ticket = { performanceId: 'prf_1', startDate: null, about: { ...about, entries: 'daily' as const } };
    const dayIn = async (moved: object | undefined) => {
      const performances = { get: async () => moved };
      const admittance = await findAdmittance({ performances } as never, ticket as never);
      return ['2027-03-14T22:30:00.000Z', '2027-03-14T23:30:00.000Z'].map((at) => admittance?.dayOf(at));
    };
    expect(await dayIn(undefined)).toEqual(['2027-03-14', '2027-03-15']);
    const tokyo = { startDate: '2027-03-01T00:00:00.000Z', timeZone: 'Asia/Tokyo', venue: about.venue };
    expect(await dayIn(tokyo)).toEqual(['2027-03-15', '2027-03-15']);
  });
});

describeOnEachEngine('a pass admits as often as its product says', (fixture) => {
  const open = async (entries: Entries | undefined) => {
    const { order, id, performanceId } = await issueAndPrint(fixture, passOrder(entries));
    let nth = 0;
    /** Scans the pass some time from now. */
    const scanAfter = async (ms: number, more: object = {}) => {
      nth += 1;
      const item = { nonce: `${id}.${nth}`, ticketId: id, ...more };
      const [answer] = await controlWith(fixture, [item], { now: () => Date.now() + ms });
      return answer?.result === 'refused' ? answer.reason : answer?.result;
    };
    const act = async (method: string) => {
      const { status, body, data } = await fixture.call(method, `${PATH}/${id}/control`, {});
      return status === 200 ? data.status : body.status;
    };
    return { id, order, performanceId, scanAfter, act };
  };

  test('`once` as any ticket', async () => {
    const { scanAfter } = await open(undefined);
    expect([await scanAfter(0), await scanAfter(DAY)]).toEqual(['admitted', 'repeated']);
  });

  test('`daily` once per local day, then it was controlled already', async () => {
    const { id, act, scanAfter } = await open('daily');
    expect([await scanAfter(0), await scanAfter(0), await act('POST')]).toEqual([
      'admitted',
      'repeated',
      'ticket_already_controlled',
    ]);
    const first = (await fixture.ticket(id)).controlledAt;
    expect([await scanAfter(DAY), await scanAfter(DAY), await scanAfter(2 * DAY)]).toEqual([
      'admitted',
      'repeated',
      'admitted',
    ]);
    const { status, controlledAt } = await fixture.ticket(id);
    expect([status, Date.parse(String(controlledAt)) - Date.parse(String(first)) > DAY]).toEqual(['controlled', true]);
  });

  test('`daily`: of two offline scans of a day the earlier is admitted, and other days stay', async () => {
    const { id, performanceId, scanAfter } = await open('daily');
    const at = createScanClock();
    expect(await scanAfter(0, { at: at(9), offline: true, gate: 'Late' })).toBe('admitted');
    expect(await scanAfter(DAY, { gate: 'Next day' })).toBe('admitted');
    expect(await scanAfter(DAY, { at: at(5), offline: true, gate: 'Early' })).toBe('admitted');
    expect((await fixture.ticket(id)).gate).toBe('Next day');
    const listed = await listScans(fixture, `performanceId=${performanceId}`);
    expect(listed.map(({ gate, result }) => [gate, result])).toEqual([
      ['Early', 'admitted'],
      ['Late', 'repeated'],
      ['Next day', 'admitted'],
    ]);
  });

  test('`unlimited` always; each entry is a scan and an event, and is taken back by itself', async () => {
    const { id, order, performanceId, act } = await open('unlimited');
    const at = createScanClock();
    const toItem = (second: number) => ({ nonce: `${id}.${second}`, ticketId: id, at: at(second), gate: `G${second}` });
    const items = [1, 2, 3].map(toItem);
    for (const item of items) expect((await scan(fixture, [item]))[0]?.result).toBe('admitted');
    expect((await scan(fixture, items)).map(({ result }) => result)).toEqual(['admitted', 'admitted', 'admitted']);
    expect((await listScans(fixture, `performanceId=${performanceId}&result=admitted`)).length).toBe(3);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', controlledAt: at(3), gate: 'G3' });
    const [events] = await fixture.eventsOf([id]);
    expect(events?.filter((type) => type === 'ticket.controlled').length).toBe(3);
    expect([await act('DELETE'), (await fixture.ticket(id)).gate]).toEqual(['controlled', 'G2']);
    expect([await act('DELETE'), await act('DELETE'), await act('DELETE')]).toEqual([
      'controlled',
      'printed',
      'precondition_failed',
    ]);
    const facts = (await fixture.facts(order.orderId)).map(({ type }) => type);
    expect(facts.filter((type) => type === 'ticket.control_reverted').length).toBe(1);
    expect(await act('POST')).toBe('controlled');
  });

  test.each(['daily', 'unlimited'] as const)(
    '`%s` within its validity alone, from its first local day on',
    async (entries) => {
      const { scanAfter, act } = await open(entries);
      expect([await scanAfter(29 * DAY), await scanAfter(31 * DAY)]).toEqual(['admitted', 'ticket_not_valid_now']);
      const early = await open(entries);
      const { timeZone, venue } = about;
      const startDate = new Date(Date.now() + 3 * DAY).toISOString();
      const moved = { performanceId: early.performanceId, startDate, timeZone, venue };
      await fixture.deliver('performance.moved', moved, { version: 2 });
      expect([await early.scanAfter(0), await early.act('POST')]).toEqual([
        'ticket_not_valid_now',
        'ticket_not_valid_now',
      ]);
      expect(await early.scanAfter(3 * DAY)).toBe('admitted');
      expect(await act('POST')).toBe('controlled');
    },
  );

  test('no more once its line has left the order, which scanners without a network learn', async () => {
    const { id, order, performanceId, act } = await open('unlimited');
    await act('POST');
    await waitUntilAfter((await fixture.ticket(id)).updatedAt);
    const since = new Date().toISOString();
    expect((await settle(fixture, createChange(order, { returned: [0] }))).controlled).toBe(1);
    expect([await act('POST'), await act('DELETE')]).toEqual(['ticket_cancelled', 'ticket_cancelled']);
    const { data } = await fixture.call(
      'GET',
      `${PATH}/statuses?performanceId=${performanceId}&modifiedSince=${since}`,
    );
    expect(data.items).toEqual([expect.objectContaining({ id, status: 'controlled' })]);
    expect(JSON.stringify(data.items)).not.toContain('entries');
  });

  test('the list for scanners says what decides without a network', async () => {
    const { id, performanceId } = await open('daily');
    const { data } = await fixture.call('GET', `${PATH}/statuses?performanceId=${performanceId}`);
    expect(data.items).toMatchObject([
      { id, status: 'printed', entries: 'daily', validity: { timeZone: NOON, from: expect.any(String) } },
    ]);
    const once = await open(undefined);
    const reply = await fixture.call('GET', `${PATH}/statuses?performanceId=${once.performanceId}`);
    expect(JSON.stringify(reply.data.items)).not.toMatch(/entries|validity/);
  });
});
