import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rename } from '../../src/domain/beneficiary.ts';
import * as door from '../../src/domain/control.ts';
import { createTicket } from '../../src/domain/order.ts';
import * as states from '../../src/domain/ticket.ts';
import { deriveNextId, derivePreviousId } from '../../src/domain/ticket.ts';

const domain = { ...states, ...door };

const wanted = {
  ticketId: 'tic_1',
  lineId: 'lin_1',
  performanceId: 'prf_1',
  seatCategoryId: 'cat_1',
  tariffId: 'trf_1',
  place: { id: 'plc_1', label: 'A-1', row: 'A', seat: 1 },
  price: { amount: 1, currency: 'CHF' },
};

const at = (minute: number): string => new Date(Date.UTC(2027, 2, 14, 19, minute)).toISOString();

const scanAt = (now: string) => ({ id: now, nonce: null, gate: 'North', at: now, offline: false, receivedAt: now });

/** A line: all its tickets, the oldest first, and the counts of its commands. */
interface Line {
  tickets: states.Ticket[];
  admitted: number;
  reverted: number;
  cancelled: boolean;
}

const fresh = (): Line => ({
  tickets: [createTicket({ id: 'ord_1', contactNumber: null, asOf: 1 }, wanted, 'barcode 0', at(0))],
  admitted: 0,
  reverted: 0,
  cancelled: false,
});

type Rules = typeof domain;

/** A command on one of the line's tickets, which may be an old one, since clients store ids. */
type Command = (line: Line, which: number, minute: number, rules: Rules) => string;

const put = (line: Line, index: number, decision: states.Decision): boolean => {
  if (!('next' in decision)) return false;
  line.tickets[index] = decision.next;
  const successor = domain.buildSuccessor(decision.next);
  if (successor && !line.tickets.some(({ id }) => id === successor.id)) line.tickets.push(successor);
  return true;
};

const on =
  (run: (ticket: states.Ticket, now: string, rules: Rules) => states.Decision, did: (line: Line) => void = () => {}) =>
  (line: Line, which: number, minute: number, rules: Rules): string => {
    const index = which % line.tickets.length;
    const ticket = line.tickets[index];
    if (!ticket) return 'nothing';
    const done = put(line, index, run(ticket, at(minute), rules));
    if (done) did(line);
    return done ? 'done' : 'refused';
  };

const commands: Readonly<Record<string, Command>> = {
  print: on((ticket, now, rules) => rules.print(ticket, now)),
  rollBack: on((ticket, now, rules) => rules.rollBack(ticket, now)),
  control: on(
    (ticket, now, rules) => rules.control(ticket, scanAt(now), now),
    (line) => {
      line.admitted += 1;
    },
  ),
  revert: on(
    (ticket, now, rules) => rules.revert(ticket, now),
    (line) => {
      line.reverted += 1;
    },
  ),
  replace: on((ticket, now, rules) =>
    rules.replace(ticket, deriveNextId(ticket.id), {
      barcode: `of ${deriveNextId(ticket.id)}`,
      beneficiary: null,
      at: now,
    }),
  ),
  rename: on((ticket, now) =>
    rename(ticket, { firstName: 'A', lastName: now }, { id: deriveNextId(ticket.id), barcode: `of ${now}` }, now),
  ),
  cancel: (line, _which, minute, rules) => {
    // The cancellation changes every ticket of the line, again when it is repeated.
    line.tickets = line.tickets.map((ticket) => rules.cancel(ticket, false, at(minute)));
    line.cancelled = true;
    return 'done';
  },
};

/** The violated invariants of the line. */
const faults = ({ tickets, admitted, reverted, cancelled }: Line): string[] => {
  const current = tickets.filter(({ status }) => status !== 'invalidated');
  const live = current.filter(({ status }) => status === 'printed' || status === 'not_printed');
  const inside = tickets.filter(({ status }) => status === 'controlled');
  return [
    ...(current.length === 1 ? [] : [`${current.length} current tickets`]),
    ...(cancelled && live.length > 0 ? ['a live ticket of a cancelled order'] : []),
    ...(admitted - reverted > 1 ? ['controlled twice'] : []),
    ...(inside.length === admitted - reverted ? [] : ['the controlled tickets differ from the controls']),
    ...tickets.flatMap(({ id, status, replacedBy }) =>
      (status === 'invalidated') === (replacedBy !== null) ? [] : [`${id} is ${status} and replaced by ${replacedBy}`],
    ),
    ...tickets.flatMap(({ id, status, controlledAt }) =>
      status === 'controlled' && controlledAt === null ? [`${id} is controlled without a time`] : [],
    ),
    ...(new Set(tickets.map(({ barcode }) => barcode)).size === tickets.length
      ? []
      : ['two tickets with the same barcode']),
  ];
};

const histories = fc.array(
  fc.record({ name: fc.constantFrom(...Object.keys(commands)), which: fc.nat(7), twice: fc.boolean() }),
  { maxLength: 40 },
);

const faultsOf = (history: { name: string; which: number; twice: boolean }[], rules: Rules): string[] => {
  const line = fresh();
  for (const [index, { name, which, twice }] of history.entries()) {
    for (let times = twice ? 2 : 1; times > 0; times -= 1) commands[name]?.(line, which, index + 1, rules);
    const found = faults(line);
    if (found.length > 0) return [`after ${name}`, ...found];
  }
  return [];
};

describe('after any commands a line has one current ticket', () => {
  test('random commands on current and old tickets, with repeats and cancellations', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(faultsOf(history, domain)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[string, Partial<Rules>]>([
    ['a cancellation that skips printed tickets', { cancel: (ticket) => ticket }],
    [
      'a replacement that leaves the old ticket valid',
      {
        replace: (ticket, id, successor) => {
          const decision = domain.replace(ticket, id, successor);
          return 'next' in decision ? { next: { ...decision.next, status: ticket.status } } : decision;
        },
      },
    ],
    [
      'a control that ignores the status',
      { control: (ticket, _, now) => ({ next: { ...ticket, status: 'controlled', controlledAt: now } }) },
    ],
    [
      'a revert that ignores the cancellation',
      { revert: (ticket, now) => domain.revert({ ...ticket, kept: false }, now) },
    ],
  ])('negative control: %s is found', (_, broken) => {
    const details = fc.check(
      fc.property(histories, (history) => faultsOf(history, { ...domain, ...broken }).length === 0),
      { numRuns: 2_000 },
    );
    expect(details.failed).toBe(true);
  });
});

describe('the ids of the tickets of a line', () => {
  test('previousId is the inverse of nextId', () => {
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
});
