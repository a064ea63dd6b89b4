// Scans: many in one request, the record of all, and how many are inside.

import { type AnyOperation, createView, id, ok, operation, page, pageOf, pageQuery, timestamp } from '@boxoffice/http';
import { salesBoundsOf } from '@boxoffice/service';
import { bounded } from '@boxoffice/store';
import { Type } from 'typebox';
import type { ContextOf } from '../context.ts';
import { timestampOf } from '../context.ts';
import * as example from '../examples.ts';
import { Control } from '../schemas.ts';
import { PATH } from '../tickets/answers.ts';
import { admissionsOf } from './admissions.ts';
import { controlMany } from './batch.ts';
import type { NewScan } from './scans.ts';
import { Admissions, RecordedScan, Result, ScanAnswers, ScanBatch } from './schemas.ts';

const { Optional } = Type;

/** The answer that a scan got first. */
const answerTo = (scan: NewScan) => {
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
    control,
  };
};

/** A scan as the list shows it: what is true now. */
const view = createView(RecordedScan);

/** Scans at the door. */
export const scanRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'controlTickets',
    method: 'post',
    path: `${PATH}/controls`,
    access: 'tickets:write',
    admits: ['door'],
    summary: 'Controls tickets with up to 500 scans, each for itself',
    description:
      'For scanners that were offline, or scan faster than they send. Each item is decided as a single control would ' +
      'be, and one that is refused does not stop the others: `result` is `admitted`, `repeated` (the ticket was ' +
      'controlled before; `control` says when and where) or `refused`, and `reason` is the `status` that the single ' +
      'control answers, also of an item that is no scan (`bad_request`, `validation_error`). A `nonce` has one effect and one answer per client and user for 30 days, whatever else is sent ' +
      'with it: a scanner that got no answer sends everything again. An `offline` scan happened already: of two for one ' +
      'ticket the earlier `at` is admitted, in whichever order they arrive. If the later one had been answered before, ' +
      'that answer stands, its nonce still gets it, and `GET /svc/v3/tickets/controls` shows it as `repeated` from then ' +
      'on; time and gate of the ticket are those of the earlier one. This works while all other services are down.',
    body: ScanBatch,
    checksItems: true,
    answers: { 200: ScanAnswers },
    example: {
      body: { items: [{ nonce: 'gate-7.000123', barcode: example.ticket.barcode, ...example.control }] },
      answer: { items: [example.scanAnswer] },
    },
    handle: async ({ caller, body }) => {
      const scans = await controlMany(contextOf(caller), caller, body.items);
      return ok({ items: scans.map(answerTo) });
    },
  }),
  operation({
    id: 'listControls',
    method: 'get',
    path: `${PATH}/controls`,
    access: 'tickets:read',
    summary: 'Lists the scans at the door, refused ones included',
    description:
      'Single controls, too, in the order in which they happened (`at`). Scans are kept for 90 days, without personal ' +
      'data and without what was read. `result` is what is true now: an admitted scan is `repeated` once an offline scan ' +
      'arrives that happened earlier. A box_office with points of sale, and a client with bounds, sees the scans of its tickets.',
    query: {
      ...pageQuery,
      performanceId: Optional(id),
      gate: Control.properties.gate,
      result: Optional(Result),
      from: Optional({ ...timestamp, description: 'happened then or later' }),
      to: Optional({ ...timestamp, description: 'happened before' }),
    },
    answers: { 200: page(RecordedScan) },
    example: {
      query: { performanceId: example.ids.performance },
      answer: { items: [example.recordedScan], nextCursor: null },
    },
    handle: (request) => {
      const { caller, query } = request;
      const { performanceId, gate, result, from, to } = query;
      const { scans } = contextOf(caller).collections;
      const at = from === undefined && to === undefined ? undefined : { gte: from, lt: to };
      return pageOf(request, bounded(scans, salesBoundsOf(caller)), {
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
      'controlled. A performance without tickets has zeros. A box_office with points of sale, and a client with bounds, counts its tickets.',
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
      const asOf = timestampOf(context);
      const { tickets } = context.collections;
      return ok({ ...(await admissionsOf(tickets, query.performanceId)), asOf });
    },
  }),
];
