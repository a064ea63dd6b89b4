// rule commerce.5: Settlement runs per change, in their order | services/tickets/src/issue/change.ts
import { selectHistories, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Collections, type Context, createContext, createInstitutionContext } from '../../src/context.ts';
import { toScan } from '../../src/control/scans.ts';
import { control, revert } from '../../src/domain/control.ts';
import { print, type Ticket } from '../../src/domain/ticket.ts';
import { createTicketControlledFact, createTicketControlRevertedFact } from '../../src/events.ts';
import { cancelTickets } from '../../src/issue/cancel.ts';
import { settleChange } from '../../src/issue/change.ts';
import { issue } from '../../src/issue/issue.ts';
import { replaceTicket } from '../../src/tickets/replacement.ts';
import { changeTicket } from '../../src/tickets/tickets.ts';
import { Crash, createCrashingStore } from '../fixture/crashes.ts';
import { engines, openFixture, SERVICE_SECRET } from '../fixture/service.ts';
import { changeCollections, createChange, createConfirmedOrder, toCancelledOrder } from '../fixture/tickets.ts';

/** What orders decides, what it then calls, late calls, and what others do with tickets. */
const STEPS = [
  'change',
  'settle',
  'issue',
  'issue late',
  'cancel',
  'override',
  'print',
  'control',
  'revert',
  'replace',
] as const;

interface Step {
  readonly what: (typeof STEPS)[number];
  readonly line: number;
  /** The write at which the process dies. */
  readonly dies?: number | undefined;
  readonly when?: 'before' | 'after';
}

type Tickets = Collections['tickets'];

const one = (what: Step['what'], line = 0): Step => ({ what, line });
const SOLD = [one('issue'), one('print')];
const begins = [
  [],
  SOLD,
  [...SOLD, one('change')],
  [...SOLD, one('change'), one('settle'), one('print', 1), one('change')],
];

const step = fc.record({
  what: fc.constantFrom(...STEPS),
  line: fc.nat(3),
  dies: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 3 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});
/** Steps of a group run at once. */
const histories = fc
  .tuple(fc.constantFrom(...begins), fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 6 }))
  .map(([begin, then]) => [...begin.map((first) => [first]), ...then]);

const isLive = ({ status }: Ticket) => status === 'printed' || status === 'not_printed';
const isControlled = ({ status }: Ticket) => status === 'controlled';

describe.each(engines)('changes, cancellations and controls in any order, with crashes, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const faultsAfter = async (
    history: readonly (readonly Step[])[],
    broken: (context: Context) => Context = (same) => same,
  ): Promise<string[]> => {
    const { institution } = fixture;
    const order = createConfirmedOrder(2);
    const first = createChange(order, { exchanged: [0] });
    const second = createChange({ ...order, tickets: first.tickets }, { returned: [0], exchanged: [1] });
    const states = [order, first, second].map(({ tickets }) => ({ ...order, tickets }));
    const chain = [order.tickets[0], first.tickets[1], second.tickets[0]];
    const lines = [...chain, order.tickets[1]];
    let [done, isCancelled, isOverridden] = [0, false, false];
    const answers: string[][] = [[], []];
    const present = () => states[done] ?? order;
    const settle = async (context: Context, upTo: number) => {
      for (const [nth, { change }] of [first, second].slice(0, upTo).entries()) {
        const answer = await settleChange(context, institution, { ...present(), version: 3 + done }, change);
        answers[nth]?.push(JSON.stringify(answer));
      }
    };
    const run = async (context: Context, { what, line }: Step): Promise<unknown> => {
      if (what === 'change' && !isCancelled) done = Math.min(done + 1, 2);
      const [own, id, free] = [
        createInstitutionContext(context, institution),
        lines[line]?.ticketId ?? '',
        { ifMatch: () => {} },
      ];
      const scan = (ticket: Ticket & { version: number; institution: string }, now: string) =>
        control(ticket, toScan(context, {}), now);
      if (what === 'settle') return settle(context, done);
      if (what === 'issue') return issue(context, institution, { ...present(), version: 3 + done });
      if (what === 'issue late') return issue(context, institution, { ...order, version: 3 });
      if (what === 'print') return changeTicket(own, id, free, print);
      if (what === 'control') return changeTicket(own, id, free, scan, createTicketControlledFact);
      if (what === 'revert') return changeTicket(own, id, free, revert, createTicketControlRevertedFact);
      if (what === 'replace') return replaceTicket(own, id, free);
      if (what !== 'cancel' && what !== 'override') return undefined;
      const override = what === 'override';
      [isCancelled, isOverridden] = [true, isOverridden || override];
      return cancelTickets(context, institution, toCancelledOrder(present(), { override }));
    };
    const play = async (next: Step) => {
      const { dies, when = 'before' } = next;
      const store = dies === undefined ? fixture.store : createCrashingStore(fixture.store, dies, when);
      await run(broken(createContext(store, SERVICE_SECRET)), next).catch((error: unknown) => {
        if (!(error instanceof Crash) && !(error instanceof Error && error.name === 'Fault')) throw error;
      });
    };
    for (const group of history) await Promise.all(group.map(play));
    for (const what of [
      'settle',
      ...(isCancelled ? [isOverridden ? ('override' as const) : ('cancel' as const)] : []),
      'issue',
      'issue late',
      'settle',
    ] as const)
      await run(broken(fixture.context), one(what));

    const where = { orderId: order.orderId };
    const stored = await fixture.context.collections(institution).tickets.find({ where });
    const facts = await fixture.facts(order.orderId);
    const of = (line: { lineId: string } | undefined) => stored.filter(({ lineId }) => lineId === line?.lineId);
    const count = (sought: string) => facts.filter(({ type }) => type === sought).length;
    const used = stored.filter(isControlled);
    const gone = lines.flatMap((line) => (present().tickets.includes(line as never) ? [] : of(line)));
    const outcomes = facts.filter(({ type }) => type === 'tickets.cancelled').map(({ data }) => data);
    const outcome = outcomes.at(-1) as { placeIds: string[]; keptPlaceIds: string[] } | undefined;
    const most = isOverridden ? 2 : 1;
    const freed = [...(outcome?.placeIds ?? []), ...(outcome?.keptPlaceIds ?? [])];
    const rules: [boolean, string][] = [
      [gone.some(isLive), 'a live ticket of a line that left'],
      [isCancelled && stored.some(isLive), 'a live ticket of a cancelled order'],
      [
        chain.flatMap(of).filter((ticket) => isLive(ticket) || isControlled(ticket)).length > 1,
        'one price admits twice',
      ],
      [
        present().tickets.some((line) => of(line).filter(({ status }) => status !== 'invalidated').length > 1),
        'two tickets of a line',
      ],
      [!isCancelled && !present().tickets.every((line) => of(line).length > 0), 'a line without a ticket'],
      [
        !isCancelled && used.length === 0 && !present().tickets.every((line) => of(line).some(isLive)),
        'a line that nothing admits',
      ],
      [new Set(stored.map(({ barcode }) => barcode)).size < stored.length, 'two tickets with a barcode'],
      [answers.some((all) => new Set(all).size > 1), 'a repeat has another answer'],
      [
        isCancelled ? outcomes.length < 1 || outcomes.length > most : outcomes.length > 0,
        `${outcomes.length} outcomes`,
      ],
      [isOverridden && used.length > 0, 'a controlled ticket stays in spite of an override'],
      [
        isCancelled &&
          ![...present().tickets, ...gone.filter(({ kept }) => kept)].every(({ place }) => freed.includes(place.id)),
        'a place stays sold',
      ],
      [isCancelled && outcome?.keptPlaceIds.length !== used.length, 'another number of controlled tickets'],
      [
        !isOverridden && count('ticket.controlled') - count('ticket.control_reverted') !== used.length,
        'events that differ',
      ],
    ];
    return rules.flatMap(([isBroken, text]) => (isBroken ? [text] : []));
  };

  test('a line that left admits nobody, an exchanged one once, and a cancellation ends everything', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        expect(await faultsAfter(history)).toEqual([]);
      }),
      selectHistories({ numRuns: engine.name === 'SQLite' ? 60 : 15, interruptAfterTimeLimit: 15_000 }),
    );
  });

  test.each([1, 2, 3, 4, 5])('with override it names places of former lines, also dying at write %d', async (dies) => {
    const history = [...SOLD, one('control'), one('change'), one('settle'), { ...one('override'), dies }];
    for (const when of ['before', 'after'] as const)
      expect(await faultsAfter(history.map((next) => [{ ...next, when }]))).toEqual([]);
  });

  const changed = [one('change'), one('settle'), one('issue late')];
  const LIVE = 'a live ticket of a line that left';

  test.each<[string, readonly Step[], (tickets: Tickets) => Partial<Tickets>, string]>([
    [
      'a settlement that does not end what is issued late',
      [{ ...one('issue'), dies: 2 }, ...changed],
      ({ insertMany, update }) => ({
        insertMany: (made) => insertMany(made.filter(({ leftBy }) => leftBy === undefined)),
        update: (id, fn, options) => {
          const decide: typeof fn = (found) => {
            const change = fn(found);
            return change?.next.leftBy ? undefined : change;
          };
          return update(id, decide, options);
        },
      }),
      LIVE,
    ],
    [
      'a settlement that leaves the old ticket valid',
      [...SOLD, ...changed],
      ({ update }) => ({
        update: (id, fn, options) => {
          const decide: typeof fn = (found) => {
            const { next } = fn(found) ?? {};
            return next && { next: next.leftBy ? { ...next, status: found.status } : next };
          };
          return update(id, decide, options);
        },
      }),
      'one price admits twice',
    ],
  ])('the check has a fault after %s', async (_, history, breakIt, fault) => {
    const broken = (context: Context) =>
      changeCollections(context, ({ tickets }) => ({ tickets: { ...tickets, ...breakIt(tickets) } }));
    const groups = history.map((next) => [next]);
    expect(await faultsAfter(groups)).toEqual([]);
    expect(await faultsAfter(groups, broken)).toContain(fault);
  });
});
