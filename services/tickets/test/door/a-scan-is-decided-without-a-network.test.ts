import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { admit } from '../../src/domain/control.ts';
import { statuses, type Ticket } from '../../src/domain/ticket.ts';
import { createMemory, importDoorModule } from './phones.ts';

const { colourOf, decide } = await importDoorModule('decide.js');

describe('a scan is decided without a network', () => {
  const [ID, TONIGHT, MATINEE, TOMORROW] = ['tic_1', 'prf_tonight', 'prf_matinee', 'prf_tomorrow'];
  const signed = { ticketId: ID, performanceId: TONIGHT };
  const listed = (status: string, more = {}) => ({
    ...{ performanceId: TONIGHT, status, place: 'A-14', controlledAt: null, gate: null },
    ...more,
  });
  const inside = { at: '2027-03-14T18:31:00.000Z', gate: 'North' };
  const controlled = listed('controlled', { controlledAt: inside.at, gate: inside.gate });

  const admitted = { result: 'admitted', reason: null, control: null };
  const repeated = { result: 'repeated', reason: 'ticket_already_controlled', control: inside };
  const refused = (reason: string) => ({ result: 'refused', reason, control: null });

  test.each([
    ['a printed ticket', signed, listed('printed'), undefined, { ...admitted, place: 'A-14', isNew: false }, 'green'],
    ['one sold after the download', signed, undefined, undefined, { ...admitted, place: null, isNew: true }, 'green'],
    ['one that is inside by the list', signed, controlled, undefined, repeated, 'amber'],
    ['one that this phone admitted', signed, listed('printed'), inside, repeated, 'amber'],
    ['one sold after the download that this phone admitted', signed, undefined, inside, repeated, 'amber'],
    ['one that is not printed', signed, listed('not_printed'), undefined, refused('ticket_not_printed'), 'amber'],
    ['a replaced one', signed, listed('invalidated'), undefined, refused('ticket_invalidated'), 'red'],
    ['a cancelled one', signed, listed('cancelled'), undefined, refused('ticket_cancelled'), 'red'],
    [
      'one of another evening, whatever its status',
      { ...signed, performanceId: TOMORROW },
      listed('controlled', { performanceId: TOMORROW }),
      inside,
      refused('ticket_other_performance'),
      'amber',
    ],
    ['a forged one', undefined, undefined, undefined, refused('ticket_unknown_barcode'), 'red'],
    [
      'a typed number',
      { ticketId: ID },
      listed('printed'),
      undefined,
      { ...admitted, performanceId: TONIGHT },
      'green',
    ],
    ['a typed number of nobody', { ticketId: ID }, undefined, undefined, refused('not_found'), 'red'],
    [
      'a typed number of another evening',
      { ticketId: ID },
      listed('printed', { performanceId: TOMORROW }),
      undefined,
      refused('ticket_other_performance'),
      'amber',
    ],
  ])('%s', (_, ticket, status, admission, expected, colour) => {
    const decision = decide({ ticket, status, admission, performanceIds: [MATINEE, TONIGHT] });
    expect(decision).toMatchObject(expected);
    expect(colourOf(decision)).toBe(colour);
  });

  const validity = { from: '2027-03-01T12:00:00.000Z', until: '2027-03-31T22:00:00.000Z', timeZone: 'Europe/Zurich' };
  const evening = '2027-03-14T22:30:00.000Z';
  const night = '2027-03-14T23:30:00.000Z';
  const entered = { at: evening, gate: 'North' };

  test.each([
    ['a daily pass of today', 'daily', null, undefined, night, 'admitted'],
    ['one that was inside today', 'daily', night, undefined, night, 'repeated'],
    ['one that was inside before midnight at the venue', 'daily', evening, undefined, night, 'admitted'],
    ['one that this phone admitted today', 'daily', null, entered, evening, 'repeated'],
    ['one that this phone admitted yesterday', 'daily', null, entered, night, 'admitted'],
    ['an unlimited one that is inside', 'unlimited', night, entered, night, 'admitted'],
    ['one on its first local day', 'unlimited', null, undefined, '2027-03-01T00:00:00.000Z', 'admitted'],
    ['one before that', 'unlimited', null, undefined, '2027-02-28T22:00:00.000Z', 'ticket_not_valid_now'],
    ['one that is over', 'daily', null, undefined, '2027-03-31T22:00:00.000Z', 'ticket_not_valid_now'],
  ] as const)('%s', (_, entries, controlledAt, admission, now, expected) => {
    const status = listed(controlledAt === null ? 'printed' : 'controlled', { controlledAt, entries, validity });
    const decision = decide({ ticket: signed, status, admission, performanceIds: [TONIGHT], now: Date.parse(now) });
    expect(decision.result === 'refused' ? decision.reason : decision.result).toBe(expected);
  });

  const place = { id: 'plc_1', label: 'A-14', row: 'A', seat: 14 };
  const reasons: Readonly<Record<string, string>> = {
    not_printed: 'ticket_not_printed',
    cancelled: 'ticket_cancelled',
    invalidated: 'ticket_invalidated',
    already_controlled: 'ticket_already_controlled',
  };

  test('with a present list the phone decides as the server does', () => {
    const property = fc.property(fc.constantFrom(...statuses), fc.option(fc.string()), (status, gate) => {
      const controlledAt = status === 'controlled' ? inside.at : null;
      const ticket = { id: ID, performanceId: TONIGHT, status, place, controlledAt, gate } as unknown as Ticket;
      const now = '2027-03-14T18:40:00.000Z';
      const scan = { id: 'scn_1', nonce: null, gate: null, at: now, offline: false, receivedAt: now };
      const server = admit(ticket, scan, now);
      const phone = decide({
        ticket: signed,
        status: listed(status, { controlledAt, gate }),
        performanceIds: [TONIGHT],
      });
      expect(phone.reason).toBe('next' in server ? null : reasons[server.refused]);
      expect(phone.result === 'admitted').toBe('next' in server);
    });
    fc.assert(property);
  });

  test('green is exactly what is admitted, and nobody is admitted twice', () => {
    const property = fc.property(
      fc.option(
        fc.record({ ticketId: fc.constant(ID), performanceId: fc.constantFrom(TONIGHT, TOMORROW, undefined) }),
        { nil: undefined },
      ),
      fc.option(
        fc.constantFrom(...statuses).map((status) => listed(status)),
        { nil: undefined },
      ),
      fc.option(fc.constant(inside), { nil: undefined }),
      (ticket, status, admission) => {
        const given = { ticket, status, admission, performanceIds: [TONIGHT] };
        const decision = decide(given);
        expect(colourOf(decision) === 'green').toBe(decision.result === 'admitted');
        expect((decision.reason === null) === (decision.result === 'admitted')).toBe(true);
        if (admission) expect(decision.result).not.toBe('admitted');
        expect(decide(given)).toEqual(decision);
      },
    );
    fc.assert(property);
  });
});

const { createDatabase } = await importDoorModule('database.js');
const { createStatuses } = await importDoorModule('statuses.js');

describe('counts follow the list', () => {
  const HERE = ['prf_1', 'prf_2'];

  type Listed = { readonly id: string; readonly status: string; readonly gate: string | null };

  /** A phone's lists, and what the server has listed since. */
  const openLists = () => {
    let items: readonly Listed[] = [];
    const contents = () => ({ ...lists.contents(), scans: [], settings: [lists.setting()] });
    const { connect } = createMemory();
    const database = createDatabase({ connect, contents, mayKeep: () => true, onChange: () => undefined });
    const list = async () => ({ items, nextCursor: null, asOf: 'now' });
    const lists = createStatuses({ database, list, listAll: list, now: () => 0, onChange: () => {} });
    return {
      ...{ lists, database },
      refresh: async (performanceId: string, listed: readonly Listed[]) => {
        // An id has one performance.
        items = listed.map((item) => ({ ...item, id: `${performanceId} ${item.id}` }));
        await lists.refresh(performanceId);
      },
    };
  };

  /** The counts by going through the whole list. */
  const recounted = (lists: { all(): (Listed & { performanceId: string })[] }) => {
    const here = lists.all().filter(({ performanceId }) => HERE.includes(performanceId));
    const gates = new Map<string | null, number>();
    for (const { gate } of here.filter(({ status }) => status === 'controlled'))
      gates.set(gate, (gates.get(gate) ?? 0) + 1);
    const issued = here.filter(({ status }) => ['not_printed', 'printed', 'controlled'].includes(status)).length;
    return { issued, gates };
  };

  const listed = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    status: fc.constantFrom(...statuses),
    gate: fc.constantFrom('North', 'South', null),
  });

  test('counts are those of the list, whatever comes, changes and goes', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({
          performanceId: fc.constantFrom(...HERE, 'prf_3'),
          items: fc.uniqueArray(listed, { selector: ({ id }) => id }),
        }),
        fc.record({ change: listed, of: fc.constantFrom(...HERE) }),
        fc.record({ kept: fc.subarray([...HERE, 'prf_3']) }),
      ),
    );
    const property = fc.asyncProperty(steps, async (given) => {
      const { lists, database, refresh } = openLists();
      for (const step of given) {
        if ('items' in step) await refresh(step.performanceId, step.items);
        else if ('kept' in step) await lists.keep(step.kept);
        else
          await lists.set([[`${step.of} ${step.change.id}`, { status: step.change.status, gate: step.change.gate }]]);
        expect(lists.countsOf(HERE)).toEqual(recounted(lists));
      }
      const reloaded = openLists().lists;
      reloaded.open(await database.open());
      expect(reloaded.countsOf(HERE)).toEqual(recounted(lists));
    });
    await fc.assert(property);
  });
});
