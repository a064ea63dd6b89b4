import { selectHistories, useFixture } from '@boxoffice/service/testkit';
import type { Change } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Context, createContext, createInstitutionContext } from '../../src/context.ts';
import { toScan } from '../../src/control/scans.ts';
import { control, revert } from '../../src/domain/control.ts';
import { deriveNextId, derivePreviousId, print, rollBack } from '../../src/domain/ticket.ts';
import { createTicketControlledFact, createTicketControlRevertedFact } from '../../src/events.ts';
import { cancelTickets } from '../../src/issue/cancel.ts';
import { issue } from '../../src/issue/issue.ts';
import type { TicketDocument } from '../../src/store.ts';
import { replaceTicket } from '../../src/tickets/replacement.ts';
import { nameTicket } from '../../src/tickets/shop.ts';
import { changeTicket } from '../../src/tickets/tickets.ts';
import { Crash, createCrashingStore } from '../fixture/crashes.ts';
import { engines, openFixture, SERVICE_SECRET } from '../fixture/service.ts';
import {
  type Confirmed,
  changeCollections,
  createConfirmedOrder,
  readOrderTickets,
  toCancelledOrder,
} from '../fixture/tickets.ts';

const free = { ifMatch: () => {} };

/** What events of orders and commands of partners do; events are delivered again after a crash. */
const EVENTS = ['issue', 'confirm again', 'cancel'] as const;
const COMMANDS = ['print', 'print', 'roll back', 'control', 'revert', 'replace', 'rename'] as const;

interface Step {
  readonly what: (typeof EVENTS | typeof COMMANDS)[number];
  readonly line: number;
  /** The first ticket of the line, whatever has replaced it: clients store ids. */
  readonly isOld?: boolean;
  /** The write at which the process dies; the step is then not repeated at once. */
  readonly dies?: number | undefined;
  readonly when?: 'before' | 'after';
}

const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>(...EVENTS, ...COMMANDS),
    line: fc.nat(1),
    isOld: fc.boolean(),
    dies: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 3 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
  { maxLength: 14 },
);

type Decided = Change<TicketDocument> | undefined;

/** Each change of a ticket as another one; `decide` is that of the product. */
const changeWrites =
  (change: (found: TicketDocument, decide: (ticket: TicketDocument) => Decided) => Decided) =>
  (context: Context): Context =>
    changeCollections(context, ({ tickets }) => {
      const update: typeof tickets.update = (id, fn, options) =>
        tickets.update(id, (found) => change(found, fn), options);
      return { tickets: { ...tickets, update } };
    });

describe.each(engines)('events and commands in any order, with crashes, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const run = async (context: Context, order: Confirmed, { what, line, isOld }: Step): Promise<unknown> => {
    const { institution } = fixture;
    const own = createInstitutionContext(context, institution);
    const { lineId = '', ticketId = '' } = order.tickets[line] ?? {};
    const { tickets } = await readOrderTickets(fixture, order.orderId);
    const id = isOld ? ticketId : (tickets.find((ticket) => ticket.lineId === lineId)?.ticketId ?? ticketId);
    switch (what) {
      case 'issue':
        return issue(context, institution, { ...order, version: 3 });
      case 'confirm again':
        return issue(context, institution, { ...order, version: 5, contactNumber: 'C1' });
      case 'cancel':
        return cancelTickets(context, institution, toCancelledOrder(order));
      case 'replace':
        return replaceTicket(own, id, free);
      case 'rename':
        return nameTicket(own, id, { lastName: `Martin ${Math.random()}` });
      case 'control':
        return changeTicket(
          own,
          id,
          free,
          (ticket, now) => control(ticket, toScan(context, {}), now),
          createTicketControlledFact,
        );
      case 'print':
        return changeTicket(own, id, free, print);
      case 'roll back':
        return changeTicket(own, id, free, rollBack);
      case 'revert':
        return changeTicket(own, id, free, revert, createTicketControlRevertedFact);
    }
  };

  const faultsAfter = async (history: readonly Step[], broken: (context: Context) => Context = (same) => same) => {
    const order = createConfirmedOrder(2);
    for (const step of history) {
      const { dies, when = 'before' } = step;
      const store = dies === undefined ? fixture.store : createCrashingStore(fixture.store, dies, when);
      await run(broken(createContext(store, SERVICE_SECRET)), order, step).catch((error: unknown) => {
        // The process crashed, or the command was refused.
        if (!(error instanceof Crash) && !(error instanceof Error && error.name === 'Fault')) throw error;
      });
    }
    for (const step of history)
      if (EVENTS.some((what) => what === step.what)) await run(broken(fixture.context), order, step);
    const { tickets, controlled } = await readOrderTickets(fixture, order.orderId);
    const stored = await fixture.context
      .collections(fixture.institution)
      .tickets.find({ where: { orderId: order.orderId } });
    const facts = await fixture.facts(order.orderId);
    const outcomes = facts.filter(({ type }) => type === 'tickets.cancelled').map(({ data }) => data);
    const wasCancelled = history.some(({ what }) => what === 'cancel');
    const live = tickets.filter(({ status }) => status === 'printed' || status === 'not_printed');
    const count = (status: string) => tickets.filter((ticket) => ticket.status === status).length;
    const [outcome] = outcomes as { ticketsCancelled: number; controlled: number }[];
    const inside =
      facts.filter(({ type }) => type === 'ticket.controlled').length -
      facts.filter(({ type }) => type === 'ticket.control_reverted').length;
    return [
      ...(new Set(tickets.map(({ lineId }) => lineId)).size === tickets.length ? [] : ['two tickets of a line']),
      ...(new Set(stored.map(({ barcode }) => barcode)).size === stored.length ? [] : ['two tickets with a barcode']),
      ...(wasCancelled && live.length > 0 ? ['a live ticket of a cancelled order'] : []),
      ...(outcomes.length === (wasCancelled ? 1 : 0) ? [] : [`${outcomes.length} outcomes`]),
      ...(outcome && outcome.controlled !== controlled ? ['the outcome has another number of controlled tickets'] : []),
      ...(outcome && tickets.length > 0 && outcome.ticketsCancelled !== count('cancelled') ? ['a wrong outcome'] : []),
      ...(outcome && outcome.ticketsCancelled + outcome.controlled !== 2 ? ['a line is not in the outcome'] : []),
      ...(inside === controlled ? [] : ['the events differ from the controlled tickets']),
    ];
  };

  test('a line has one current ticket, a cancelled order no live one, and one outcome is published', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        expect(await faultsAfter(history)).toEqual([]);
      }),
      selectHistories({ numRuns: engine.name === 'SQLite' ? 60 : 15, interruptAfterTimeLimit: 15_000 }),
    );
  });

  const blind = (context: Context): Context =>
    changeCollections(context, ({ tickets }) => ({ tickets: { ...tickets, find: async () => [] } }));
  const LIVE = 'a live ticket of a cancelled order';

  test.each<[string, typeof blind, string, Step['what'][]]>([
    ['a cancellation that does not read the tickets', blind, LIVE, ['issue', 'cancel']],
    [
      'a cancellation that skips tickets',
      changeWrites((found, decide) => {
        const change = decide(found);
        return change?.next.status === 'cancelled' ? undefined : change;
      }),
      LIVE,
      ['issue', 'print', 'cancel'],
    ],
    [
      'a replacement that leaves the old ticket valid',
      changeWrites((found, decide) => {
        const { next } = decide(found) ?? {};
        return next && { next: next.status === 'invalidated' ? { ...next, status: found.status } : next };
      }),
      'two tickets of a line',
      ['issue', 'print', 'replace'],
    ],
    [
      'a control that ignores the status',
      changeWrites((found, decide) => decide({ ...found, status: 'printed' })),
      'the events differ from the controlled tickets',
      ['issue', 'print', 'control', 'control'],
    ],
    [
      'a revert that ignores the cancellation',
      changeWrites((found, decide) => decide({ ...found, kept: false })),
      LIVE,
      ['issue', 'print', 'control', 'cancel', 'revert'],
    ],
  ])('negative control: %s is found', async (_, broken, fault, whats) => {
    const history = whats.map((what) => ({ what, line: 0 }));
    expect(await faultsAfter(history)).toEqual([]);
    expect(await faultsAfter(history, broken)).toContain(fault);
  });
});

test('the id of the ticket before is the inverse of the next one', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^tic_[A-Za-z0-9_-]{1,30}$/), fc.integer({ min: 1, max: 20 }), (first, count) => {
      let id = first;
      for (let times = 0; times < count; times += 1) {
        expect(derivePreviousId(deriveNextId(id))).toBe(id);
        expect(deriveNextId(id)).not.toBe(id);
        id = deriveNextId(id);
      }
    }),
  );
  expect(derivePreviousId('tic_1')).toBeUndefined();
  expect(deriveNextId(deriveNextId('tic_1'))).toBe('tic_1_r2');
});
