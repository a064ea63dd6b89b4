import { selectHistories, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Context, createContext, createInstitutionContext } from '../../src/context.ts';
import { toScan } from '../../src/control/scans.ts';
import { control, revert } from '../../src/domain/control.ts';
import { print } from '../../src/domain/ticket.ts';
import { createTicketControlledFact, createTicketControlRevertedFact } from '../../src/events.ts';
import { cancelTickets } from '../../src/issue/cancel.ts';
import { issue } from '../../src/issue/issue.ts';
import { replaceTicket } from '../../src/tickets/replacement.ts';
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

interface Step {
  readonly what: 'issue' | 'confirm again' | 'print' | 'control' | 'revert' | 'replace' | 'cancel';
  readonly line: number;
  /** The write at which the process dies; the step is then not repeated at once. */
  readonly dies: number | undefined;
  readonly when: 'before' | 'after';
}

const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>(
      'issue',
      'confirm again',
      'print',
      'print',
      'control',
      'revert',
      'replace',
      'cancel',
    ),
    line: fc.nat(1),
    dies: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 3 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
  { maxLength: 14 },
);

describe.each(engines)('events and commands in any order, with crashes, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const run = async (context: Context, order: Confirmed, { what, line }: Step): Promise<unknown> => {
    const { institution } = fixture;
    const own = createInstitutionContext(context, institution);
    const { tickets } = await readOrderTickets(fixture, order.orderId);
    const lineId = order.tickets[line]?.lineId;
    const id = tickets.find((ticket) => ticket.lineId === lineId)?.ticketId ?? order.tickets[line]?.ticketId ?? '';
    switch (what) {
      case 'issue':
        return issue(context, institution, { ...order, version: 3 });
      case 'confirm again':
        return issue(context, institution, { ...order, version: 5, contactNumber: 'C1' });
      case 'cancel':
        return cancelTickets(context, institution, toCancelledOrder(order));
      case 'replace':
        return replaceTicket(own, id, free);
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
      case 'revert':
        return changeTicket(own, id, free, revert, createTicketControlRevertedFact);
    }
  };

  const faultsAfter = async (history: readonly Step[], broken: (context: Context) => Context = (same) => same) => {
    const order = createConfirmedOrder(2);
    for (const step of history) {
      const store = step.dies === undefined ? fixture.store : createCrashingStore(fixture.store, step.dies, step.when);
      await run(broken(createContext(store, SERVICE_SECRET)), order, step).catch((error: unknown) => {
        // The process crashed, or the command was refused.
        if (!(error instanceof Crash) && !(error instanceof Error && error.name === 'Fault')) throw error;
      });
    }
    // Events and calls of an interrupted process are delivered again.
    for (const step of history.filter(({ what }) => what !== 'replace' && what !== 'print')) {
      if (step.what === 'control' || step.what === 'revert') continue;
      await run(broken(fixture.context), order, step);
    }
    const { tickets, controlled } = await readOrderTickets(fixture, order.orderId);
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

  test('negative control: a cancellation that does not read the tickets is found', async () => {
    const blind = (context: Context): Context =>
      changeCollections(context, ({ tickets }) => ({ tickets: { ...tickets, find: async () => [] } }));
    const step = { line: 0, dies: undefined, when: 'before' } as const;
    const history = [
      { ...step, what: 'issue' },
      { ...step, what: 'cancel' },
    ] as const;
    expect(await faultsAfter(history)).toEqual([]);
    expect(await faultsAfter(history, blind)).toContain('a live ticket of a cancelled order');
  });
});
