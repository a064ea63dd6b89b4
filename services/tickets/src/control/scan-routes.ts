import {
  type AnyOperation,
  createPageSchema,
  createView,
  id,
  ok,
  operation,
  pageQuery,
  readPage,
  timestamp,
} from '@boxoffice/http';
import { computeSalesBounds } from '@boxoffice/service';
import { type Documents, restrictDocuments } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { type ContextOf, readTimestamp } from '../context.ts';
import * as example from '../examples.ts';
import { Control } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { PATH } from '../tickets/answers.ts';
import { controlMany } from './batch.ts';
import { findOtherPerformances } from './other-performances.ts';
import type { NewScan } from './scans.ts';
import { Admissions, RecordedScan, Result, ScanAnswers, ScanBatch } from './schemas.ts';

const { Optional } = Type;

const view = createView(RecordedScan);

export function createScanRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'controlTickets',
      method: 'post',
      path: `${PATH}/controls`,
      access: 'tickets:write',
      admits: ['door'],
      summary: 'Controls tickets with up to 500 scans, each for itself',
      description:
        'For scanners that were offline, or scan faster than they send. Each item is decided as a single control ' +
        'would be, and one that is refused does not stop the others: `result` is `admitted`, `repeated` (the ticket ' +
        'was controlled before; `control` says when and where) or `refused`, and `reason` is the `status` that the ' +
        'single control answers, also of an item that is no scan (`bad_request`, `validation_error`). A `nonce` has ' +
        'one effect and one answer per client and user for 30 days, whatever else is sent with it, also at the same ' +
        "time: a scanner that got no answer sends everything again. An `at` more than 5 minutes before the ticket's " +
        'issue, more than 7 days ago, or more than 5 minutes ahead is refused (`validation_error`) and does not use ' +
        'the nonce. An `offline` scan happened already: of two for one ticket the earlier `at` is admitted, in ' +
        'whichever order they arrive. If the later one had been answered before, that answer stands, its nonce still ' +
        'gets it, and `GET /svc/v3/tickets/controls` shows it as `repeated` from then on; time and gate of the ' +
        'ticket are those of the earlier one. This works while all other services are down.',
      body: ScanBatch,
      checksItems: true,
      answers: { 200: ScanAnswers },
      example: {
        body: { items: [{ nonce: 'gate-7.000123', barcode: example.ticket.barcode, ...example.control }] },
        answer: { items: [example.scanAnswer] },
      },
      handle: async ({ caller, body }) => {
        const context = contextOf(caller);
        const scans = await controlMany(context, caller, body.items);
        const others = await findOtherPerformances(context.collections, scans);
        return ok({ items: scans.map((scan) => toAnswer(scan, others)) });
      },
    }),
    operation({
      id: 'listControls',
      method: 'get',
      path: `${PATH}/controls`,
      access: 'tickets:read',
      summary: 'Lists the scans at the door, refused ones included',
      description:
        'Single controls, too, in the order in which they happened (`at`). Scans are kept for 90 days, without ' +
        'personal data and without what was read. `result` is what is true now: an admitted scan is `repeated` once ' +
        'an offline scan arrives that happened earlier. A box_office with points of sale, and a client with bounds, ' +
        'sees the scans of its tickets.',
      query: {
        ...pageQuery,
        performanceId: Optional(id),
        gate: Control.properties.gate,
        result: Optional(Result),
        from: Optional({ ...timestamp, description: 'happened then or later' }),
        to: Optional({ ...timestamp, description: 'happened before' }),
      },
      answers: { 200: createPageSchema(RecordedScan) },
      example: {
        query: { performanceId: example.ids.performance },
        answer: { items: [example.recordedScan], nextCursor: null },
      },
      handle: (request) => {
        const { caller, query } = request;
        const { performanceId, gate, result, from, to } = query;
        const { scans } = contextOf(caller).collections;
        const at = from === undefined && to === undefined ? undefined : { gte: from, lt: to };
        return readPage(request, restrictDocuments(scans, computeSalesBounds(caller)), {
          where: { performanceId, gate, result, at },
          orderBy: 'at',
          item: view,
        });
      },
    }),
    operation({
      id: 'getAdmissions',
      method: 'get',
      path: `${PATH}/admissions`,
      access: 'tickets:read',
      summary: 'Counts who is inside, by gate',
      description:
        'Of the tickets of a performance: how many are in force, how many of these open the door, and how many are ' +
        'controlled. A performance without tickets has zeros. A box_office with points of sale, and a client with ' +
        'bounds, counts its tickets.',
      query: { performanceId: id },
      answers: { 200: Admissions },
      example: {
        query: { performanceId: example.ids.performance },
        answer: {
          performanceId: example.ids.performance,
          asOf: example.asOf,
          issued: 412,
          printed: 398,
          controlled: 305,
          gates: [
            { gate: 'North', controlled: 190 },
            { gate: 'South', controlled: 115 },
          ],
        },
      },
      handle: async ({ caller, query }) => {
        const context = contextOf(caller);
        const asOf = readTimestamp(context);
        const { tickets } = context.collections;
        return ok({ ...(await countAdmissions(tickets, query.performanceId)), asOf });
      },
    }),
  ];
}

const toAnswer = (scan: NewScan, others: Awaited<ReturnType<typeof findOtherPerformances>>) => {
  const { result, reason, control } = scan.answered ?? scan;
  const performanceId = scan.otherPerformanceId ?? (scan.ticketId === null ? null : scan.performanceId);
  return {
    nonce: scan.nonce,
    result,
    reason,
    ticketId: scan.ticketId,
    place: scan.place,
    ...(scan.seatCategory && { seatCategory: scan.seatCategory }),
    performanceId,
    ...(scan.ticketId !== null && others.has(scan.ticketId) && { performance: others.get(scan.ticketId) }),
    control,
  };
};

/** Counts tickets that are in force, that open the door, and that are controlled. */
const countAdmissions = async (tickets: Documents<TicketDocument>, performanceId: string) => {
  const count = (status: string) => tickets.count({ performanceId, status });
  const [waiting, printed, gates] = await Promise.all([
    count('not_printed'),
    count('printed'),
    countGates(tickets, performanceId),
  ]);
  const controlled = gates.reduce((sum, gate) => sum + gate.controlled, 0);
  return { performanceId, issued: waiting + printed + controlled, printed: printed + controlled, controlled, gates };
};

/** Reads an index only, one step per gate. */
const countGates = async (
  tickets: Documents<TicketDocument>,
  performanceId: string,
): Promise<Static<typeof Admissions>['gates']> => {
  const controlled = { performanceId, status: 'controlled' } as const;
  const gates: Static<typeof Admissions>['gates'] = [];
  const unnamed = await tickets.count({ ...controlled, gate: null });
  if (unnamed > 0) gates.push({ gate: null, controlled: unnamed });
  for (let last = ''; ; ) {
    const where = { ...controlled, gate: { gt: last } };
    const [next] = await tickets.find({ where, orderBy: 'gate', limit: 1 });
    if (!next || next.gate === null) return gates;
    last = next.gate;
    gates.push({ gate: last, controlled: await tickets.count({ ...controlled, gate: last }) });
  }
};
